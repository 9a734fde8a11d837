-- A store of schema version 5, as its last program left it; loaded by test_migrate.c.
CREATE TABLE artifacts(hash TEXT NOT NULL PRIMARY KEY, size INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
INSERT INTO "artifacts" VALUES('187550462c2faf87e331bf3cbd46b79f2d0963b4bc8c7471032709abf5a312cb',211,X'28B52FFD24D33D0500D2C922214049E601C044A62078B0604A32FF58B7B7084B8930B06BB6A12F9EC4CDF0382607ACB58204284E01488EC3379437B25C964362A31D09C2D382B3CE67C3AAEE96591F3C5113442DF098E53148EBE67ABA4DCB89C094B3ADF40E30CAA985EFD5BBF35C7386D79AE322126C1326FA0B953BECE7455FF2CF4A2B058F0CE575B83020B8811E482A6026C68B0A09002C439212D7E6CC867B5459DD55001BECC25701F626141469F0A409');
CREATE TABLE blobs(key TEXT NOT NULL PRIMARY KEY, hash TEXT NOT NULL REFERENCES artifacts, used INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "blobs" VALUES('release of a compiler','187550462c2faf87e331bf3cbd46b79f2d0963b4bc8c7471032709abf5a312cb',1795261054);
CREATE TABLE closures(closure TEXT NOT NULL PRIMARY KEY, region_key TEXT NOT NULL REFERENCES regions ON DELETE CASCADE, used INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "closures" VALUES('59cac63a044306e248446b487b3d7a64315a9eb57dc5cfefdba29dad6d2ed061','0ae50c3ea969dc02687ff96af440df212669bd63061f66767059a4f110c564fb',1795261059);
CREATE TABLE devices(device_key TEXT NOT NULL PRIMARY KEY, name TEXT, cc INTEGER, json TEXT, seen INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "devices" VALUES('5402885358c38692769324dbca97fc089f32155935b23e4ac1ac5d00f848cbf6','NVIDIA H200',90,'{"vendor":"NVIDIA","name":"NVIDIA H200","cc":90,"multiprocessors":132,"memory_bus_bits":6016,"l2_bytes":62914560,"warp_size":32,"max_threads_per_block":1024,"max_threads_per_multiprocessor":2048,"max_blocks_per_multiprocessor":32,"shared_bytes_per_block":49152,"shared_bytes_per_block_optin":232448,"shared_bytes_per_multiprocessor":233472,"registers_per_block":65536,"registers_per_multiprocessor":65536,"memory_bytes":150109880320,"core_khz":1980000,"memory_khz":3201000,"max_block":[1024,1024,64],"max_grid":[2147483647,65535,65535],"uuid":"GPU-45c1f5da-e0c4-77a2-ebe0-fcc3f73be564","driver":"580.159.04"}',1795261059);
CREATE TABLE ledger(id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, region_key TEXT NOT NULL, device_key TEXT NOT NULL, event TEXT NOT NULL, detail TEXT) STRICT;
INSERT INTO "ledger" VALUES(1,1795261059,'0ae50c3ea969dc02687ff96af440df212669bd63061f66767059a4f110c564fb','5402885358c38692769324dbca97fc089f32155935b23e4ac1ac5d00f848cbf6','entry','BLOCK=256 ITEMS=1; n == 1048576: BLOCK=128 ITEMS=4');
CREATE TABLE machines(fingerprint TEXT NOT NULL PRIMARY KEY, json TEXT NOT NULL, seen INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE manifests(key TEXT NOT NULL PRIMARY KEY, hash TEXT NOT NULL REFERENCES artifacts, used INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE marks(name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL, time INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "marks" VALUES('spent',42,1700000000);
CREATE TABLE regions(region_key TEXT NOT NULL PRIMARY KEY, name TEXT, kernel TEXT, instance TEXT, seen INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "regions" VALUES('0ae50c3ea969dc02687ff96af440df212669bd63061f66767059a4f110c564fb','saxpy','saxpy','saxpy',1795261059);
CREATE TABLE results(id INTEGER PRIMARY KEY, region_key TEXT NOT NULL REFERENCES regions, device_key TEXT NOT NULL REFERENCES devices, near_key TEXT NOT NULL, closure TEXT NOT NULL, name TEXT NOT NULL, instance TEXT NOT NULL, toolchain INTEGER NOT NULL REFERENCES toolchains, template INTEGER NOT NULL REFERENCES templates, json TEXT NOT NULL, generation INTEGER NOT NULL, created INTEGER NOT NULL, used INTEGER NOT NULL, origin TEXT, trial_key TEXT, UNIQUE(region_key, device_key)) STRICT;
INSERT INTO "results" VALUES(1,'0ae50c3ea969dc02687ff96af440df212669bd63061f66767059a4f110c564fb','5402885358c38692769324dbca97fc089f32155935b23e4ac1ac5d00f848cbf6','50ea87e6ae0f40cf10aa37e97753623837ee4e80df86a204742cbda996f06b35','59cac63a044306e248446b487b3d7a64315a9eb57dc5cfefdba29dad6d2ed061','saxpy','saxpy',1,1,'{
  "ktune": 1,
  "name": "saxpy",
  "kernel": "saxpy",
  "instance": "saxpy",
  "keys": {
    "region": "0ae50c3ea969dc02687ff96af440df212669bd63061f66767059a4f110c564fb",
    "near": "50ea87e6ae0f40cf10aa37e97753623837ee4e80df86a204742cbda996f06b35",
    "closure": "59cac63a044306e248446b487b3d7a64315a9eb57dc5cfefdba29dad6d2ed061",
    "device": "5402885358c38692769324dbca97fc089f32155935b23e4ac1ac5d00f848cbf6"
  },
  "device": {
    "vendor": "NVIDIA",
    "name": "NVIDIA H200",
    "cc": 90,
    "multiprocessors": 132,
    "memory_bus_bits": 6016,
    "l2_bytes": 62914560
  },
  "baseline_best": false,
  "configuration": {
    "BLOCK": 256,
    "ITEMS": 1
  },
  "specialised": [
    {
      "when": "n == 1048576",
      "configuration": {
        "BLOCK": 128,
        "ITEMS": 4
      },
      "resources": {
        "registers": 13,
        "local_bytes": 0,
        "shared_bytes": 0
      }
    }
  ],
  "problems": [
    {
      "problem": {
        "n": 4096
      },
      "baseline_ns": 3584,
      "general_ns": 3584,
      "tuned_ns": 3584,
      "floor_ns": 3760,
      "speedup": 1,
      "baseline": {
        "mean_ns": 3643.2,
        "min_ns": 3392,
        "deviation_ns": 160,
        "samples": 100
      },
      "tuned": {
        "mean_ns": 3572.8,
        "min_ns": 3392,
        "deviation_ns": 80,
        "samples": 100
      }
    },
    {
      "problem": {
        "n": 1048576
      },
      "variant": 1,
      "baseline_ns": 8688,
      "general_ns": 7232,
      "tuned_ns": 6560,
      "floor_ns": 6976,
      "speedup": 1.324,
      "baseline": {
        "mean_ns": 8766.1,
        "min_ns": 8416,
        "deviation_ns": 112,
        "samples": 100
      },
      "tuned": {
        "mean_ns": 6634.7,
        "min_ns": 6432,
        "deviation_ns": 96,
        "samples": 9
      }
    }
  ],
  "resources": {
    "registers": 10,
    "local_bytes": 0,
    "shared_bytes": 0
  },
  "search": {
    "tried": 11,
    "legal": 11
  },
  "provenance": {
    "tool": "ktcc 0.1.0",
    "generator": "explicit",
    "toolkit": "13.0",
    "driver": "580.159.04",
    "date": "2026-11-21"
  },
  "hash": "eddbe9fa57b68a8ec231e1eb6f6caea3edfe0753dde6909852f81c2c62865c6c"
}
',1,1795261059,1795261059,'import',NULL);
CREATE TABLE spaces(id INTEGER PRIMARY KEY, trial_key TEXT NOT NULL, device_key TEXT NOT NULL REFERENCES devices, used INTEGER NOT NULL, kernel TEXT, instance TEXT, parameters TEXT, UNIQUE(trial_key, device_key)) STRICT;
INSERT INTO "spaces" VALUES(1,'2bd6c458cb233dfc0b7fb11ba3b296fde23476f4b0cf24380662e09449c113a4','5402885358c38692769324dbca97fc089f32155935b23e4ac1ac5d00f848cbf6',1795261059,'saxpy','saxpy','BLOCK:block-x ITEMS:items');
CREATE TABLE stamps(near_key TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY(near_key, path)) STRICT, WITHOUT ROWID;
INSERT INTO "stamps" VALUES('50ea87e6ae0f40cf10aa37e97753623837ee4e80df86a204742cbda996f06b35','/nowhere/saxpy.o.ktune/stamp');
CREATE TABLE statistics(name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "statistics" VALUES('compiled-specialised',1);
INSERT INTO "statistics" VALUES('manifest-miss',1);
INSERT INTO "statistics" VALUES('runner-started',1);
INSERT INTO "statistics" VALUES('tuned',1);
CREATE TABLE templates(id INTEGER PRIMARY KEY, region_key TEXT NOT NULL REFERENCES regions ON DELETE CASCADE, generator TEXT NOT NULL, parameters TEXT NOT NULL, UNIQUE(region_key, generator, parameters)) STRICT;
INSERT INTO "templates" VALUES(1,'0ae50c3ea969dc02687ff96af440df212669bd63061f66767059a4f110c564fb','explicit','BLOCK ITEMS');
CREATE TABLE toolchains(id INTEGER PRIMARY KEY, toolkit TEXT NOT NULL, driver TEXT NOT NULL, tool TEXT NOT NULL, UNIQUE(toolkit, driver, tool)) STRICT;
INSERT INTO "toolchains" VALUES(1,'13.0','580.159.04','ktcc 0.1.0');
CREATE TABLE trials(space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE, configuration TEXT NOT NULL, problem TEXT NOT NULL, problem_index INTEGER NOT NULL, verdict TEXT NOT NULL, median_ns REAL, mean_ns REAL, min_ns REAL, deviation_ns REAL, samples INTEGER NOT NULL, registers INTEGER NOT NULL, local_bytes INTEGER NOT NULL, shared_bytes INTEGER NOT NULL, detail TEXT, sum INTEGER NOT NULL, PRIMARY KEY(space, configuration, problem)) STRICT, WITHOUT ROWID;
INSERT INTO "trials" VALUES(1,'BLOCK=128 ITEMS=1','n=1048576',1,'ok',8.57600010931491851806e+03,8.67555559509330305456e+03,8480.00030964613,3.20002436637878417968e+01,9,10,0,0,NULL,-1983728155864360629);
INSERT INTO "trials" VALUES(1,'BLOCK=128 ITEMS=1','n=4096',0,'ok',3.5840000491589307785e+03,3.59822225032581218331e+03,3423.99999499321,1.60000054165720939636e+02,9,10,0,0,NULL,2620248594897135288);
INSERT INTO "trials" VALUES(1,'BLOCK=128 ITEMS=2','n=1048576',1,'ok',6.75200019031763076782e+03,6.98666672946678227141e+03,6.62400014698505401611e+03,1.27999577671289443969e+02,9,12,0,0,NULL,1800064744779635371);
INSERT INTO "trials" VALUES(1,'BLOCK=128 ITEMS=2','n=4096',0,'ok',4.09599998965859413146e+03,4.18133332601024085327e+03,3.77600011415779590606e+03,1.59999821335077285766e+02,9,12,0,0,NULL,7299897559724353245);
INSERT INTO "trials" VALUES(1,'BLOCK=128 ITEMS=4','n=1048576',1,'ok',6.56000012531876564025e+03,6.63466668791241136193e+03,6.43200008198618888854e+03,9.60002653300762176513e+01,9,13,0,0,NULL,8116237213015142953);
INSERT INTO "trials" VALUES(1,'BLOCK=128 ITEMS=4','n=4096',0,'ok',4.73600020632147789001e+03,4736.00011318922,4.6080001629889011383e+03,1.28000043332576751708e+02,5,13,0,0,NULL,1710480212683202653);
INSERT INTO "trials" VALUES(1,'BLOCK=256 ITEMS=1','n=1048576',1,'ok',6.71999994665384292602e+03,6.81955553591251373291e+03,6.56000012531876564025e+03,6.40000216662883758544e+01,9,10,0,0,NULL,5579874024150632112);
INSERT INTO "trials" VALUES(1,'BLOCK=256 ITEMS=1','n=4096',0,'ok',3.5840000491589307785e+03,3.54133336804807186126e+03,3423.99999499321,3.20000108331441879272e+01,9,10,0,0,NULL,7822510331378354548);
CREATE INDEX closures_region ON closures(region_key);
CREATE INDEX results_closure ON results(closure);
CREATE INDEX results_near ON results(near_key);
CREATE INDEX results_name ON results(name, instance, device_key);
CREATE INDEX results_device ON results(device_key);
CREATE INDEX results_toolchain ON results(toolchain);
CREATE INDEX results_template ON results(template);
CREATE INDEX ledger_region ON ledger(region_key, device_key);
CREATE INDEX spaces_device ON spaces(device_key);
CREATE INDEX spaces_used ON spaces(used);
CREATE INDEX blobs_hash ON blobs(hash);
CREATE INDEX blobs_used ON blobs(used);
CREATE INDEX manifests_hash ON manifests(hash);
CREATE INDEX manifests_used ON manifests(used);
CREATE INDEX results_used ON results(used);
CREATE INDEX spaces_kernel ON spaces(kernel, used);
PRAGMA application_id = 1263826286;
PRAGMA user_version = 5;
