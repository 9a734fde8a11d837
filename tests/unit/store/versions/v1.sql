-- A store of schema version 1, as its last program left it; loaded by test_migrate.c.
CREATE TABLE devices(device_key TEXT NOT NULL PRIMARY KEY, name TEXT, cc INTEGER, json TEXT, seen INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE toolchains(id INTEGER PRIMARY KEY, toolkit TEXT NOT NULL, driver TEXT NOT NULL, tool TEXT NOT NULL, UNIQUE(toolkit, driver, tool)) STRICT;
CREATE TABLE regions(region_key TEXT NOT NULL PRIMARY KEY, name TEXT, kernel TEXT, instance TEXT, seen INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE closures(closure TEXT NOT NULL PRIMARY KEY, region_key TEXT NOT NULL REFERENCES regions ON DELETE CASCADE, used INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX closures_region ON closures(region_key);
CREATE TABLE templates(id INTEGER PRIMARY KEY, region_key TEXT NOT NULL REFERENCES regions ON DELETE CASCADE, generator TEXT NOT NULL, parameters TEXT NOT NULL, UNIQUE(region_key, generator, parameters)) STRICT;
CREATE TABLE results(id INTEGER PRIMARY KEY, region_key TEXT NOT NULL REFERENCES regions, device_key TEXT NOT NULL REFERENCES devices, near_key TEXT NOT NULL, closure TEXT NOT NULL, name TEXT NOT NULL, instance TEXT NOT NULL, toolchain INTEGER NOT NULL REFERENCES toolchains, template INTEGER NOT NULL REFERENCES templates, json TEXT NOT NULL, generation INTEGER NOT NULL, created INTEGER NOT NULL, used INTEGER NOT NULL, UNIQUE(region_key, device_key)) STRICT;
CREATE INDEX results_closure ON results(closure);
CREATE INDEX results_near ON results(near_key);
CREATE INDEX results_name ON results(name, instance, device_key);
CREATE INDEX results_device ON results(device_key);
CREATE INDEX results_toolchain ON results(toolchain);
CREATE INDEX results_template ON results(template);
CREATE TABLE trials(trial_key TEXT NOT NULL, device_key TEXT NOT NULL REFERENCES devices, configuration TEXT NOT NULL, problem TEXT NOT NULL, problem_index INTEGER NOT NULL, verdict TEXT NOT NULL, median_ns REAL, mean_ns REAL, min_ns REAL, deviation_ns REAL, samples INTEGER NOT NULL, registers INTEGER NOT NULL, local_bytes INTEGER NOT NULL, shared_bytes INTEGER NOT NULL, detail TEXT, used INTEGER NOT NULL, PRIMARY KEY(trial_key, device_key, configuration, problem)) STRICT, WITHOUT ROWID;
CREATE INDEX trials_device ON trials(device_key);
CREATE TABLE manifests(key TEXT NOT NULL PRIMARY KEY, size INTEGER NOT NULL, data BLOB NOT NULL, used INTEGER NOT NULL) STRICT;
CREATE TABLE ledger(id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, region_key TEXT NOT NULL, device_key TEXT NOT NULL, event TEXT NOT NULL, detail TEXT) STRICT;
CREATE INDEX ledger_region ON ledger(region_key, device_key);
CREATE TABLE statistics(name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE stamps(near_key TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY(near_key, path)) STRICT, WITHOUT ROWID;
CREATE TABLE machines(fingerprint TEXT NOT NULL PRIMARY KEY, json TEXT NOT NULL, seen INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE blobs(key TEXT NOT NULL PRIMARY KEY, size INTEGER NOT NULL, data BLOB NOT NULL, used INTEGER NOT NULL) STRICT;
INSERT INTO devices VALUES('5402885358c38692769324dbca97fc089f32155935b23e4ac1ac5d00f848cbf6', 'NVIDIA H200', 90, '{"vendor":"NVIDIA","name":"NVIDIA H200","cc":90,"multiprocessors":132,"memory_bus_bits":6016,"l2_bytes":62914560,"warp_size":32,"max_threads_per_block":1024,"max_threads_per_multiprocessor":2048,"max_blocks_per_multiprocessor":32,"shared_bytes_per_block":49152,"shared_bytes_per_block_optin":232448,"shared_bytes_per_multiprocessor":233472,"registers_per_block":65536,"registers_per_multiprocessor":65536,"memory_bytes":150109880320,"core_khz":1980000,"memory_khz":3201000,"max_block":[1024,1024,64],"max_grid":[2147483647,65535,65535],"uuid":"GPU-45c1f5da-e0c4-77a2-ebe0-fcc3f73be564","driver":"580.159.04"}', 1795261059);
INSERT INTO toolchains VALUES(1, '13.0', '580.159.04', 'ktcc 0.1.0');
INSERT INTO regions VALUES('0ae50c3ea969dc02687ff96af440df212669bd63061f66767059a4f110c564fb', 'saxpy', 'saxpy', 'saxpy', 1795261059);
INSERT INTO closures VALUES('59cac63a044306e248446b487b3d7a64315a9eb57dc5cfefdba29dad6d2ed061', '0ae50c3ea969dc02687ff96af440df212669bd63061f66767059a4f110c564fb', 1795261059);
INSERT INTO templates VALUES(1, '0ae50c3ea969dc02687ff96af440df212669bd63061f66767059a4f110c564fb', 'explicit', 'BLOCK ITEMS');
INSERT INTO results VALUES(1, '0ae50c3ea969dc02687ff96af440df212669bd63061f66767059a4f110c564fb', '5402885358c38692769324dbca97fc089f32155935b23e4ac1ac5d00f848cbf6', '50ea87e6ae0f40cf10aa37e97753623837ee4e80df86a204742cbda996f06b35', '59cac63a044306e248446b487b3d7a64315a9eb57dc5cfefdba29dad6d2ed061', 'saxpy', 'saxpy', 1, 1, '{
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
', 1, 1795261059, 1795261059);
INSERT INTO trials VALUES('2bd6c458cb233dfc0b7fb11ba3b296fde23476f4b0cf24380662e09449c113a4', '5402885358c38692769324dbca97fc089f32155935b23e4ac1ac5d00f848cbf6', 'BLOCK=128 ITEMS=1', 'n=1048576', 1, 'ok', 8576.000109314919, 8675.555595093303, 8480.00030964613, 32.00024366378784, 9, 10, 0, 0, NULL, 1795261059);
INSERT INTO trials VALUES('2bd6c458cb233dfc0b7fb11ba3b296fde23476f4b0cf24380662e09449c113a4', '5402885358c38692769324dbca97fc089f32155935b23e4ac1ac5d00f848cbf6', 'BLOCK=128 ITEMS=1', 'n=4096', 0, 'ok', 3584.000049158931, 3598.222250325812, 3423.99999499321, 160.00005416572094, 9, 10, 0, 0, NULL, 1795261059);
INSERT INTO trials VALUES('2bd6c458cb233dfc0b7fb11ba3b296fde23476f4b0cf24380662e09449c113a4', '5402885358c38692769324dbca97fc089f32155935b23e4ac1ac5d00f848cbf6', 'BLOCK=128 ITEMS=2', 'n=1048576', 1, 'ok', 6752.000190317631, 6986.666729466782, 6624.000146985054, 127.99957767128944, 9, 12, 0, 0, NULL, 1795261059);
INSERT INTO trials VALUES('2bd6c458cb233dfc0b7fb11ba3b296fde23476f4b0cf24380662e09449c113a4', '5402885358c38692769324dbca97fc089f32155935b23e4ac1ac5d00f848cbf6', 'BLOCK=128 ITEMS=2', 'n=4096', 0, 'ok', 4095.999989658594, 4181.333326010241, 3776.000114157796, 159.99982133507729, 9, 12, 0, 0, NULL, 1795261059);
INSERT INTO trials VALUES('2bd6c458cb233dfc0b7fb11ba3b296fde23476f4b0cf24380662e09449c113a4', '5402885358c38692769324dbca97fc089f32155935b23e4ac1ac5d00f848cbf6', 'BLOCK=128 ITEMS=4', 'n=1048576', 1, 'ok', 6560.000125318766, 6634.666687912411, 6432.000081986189, 96.00026533007622, 9, 13, 0, 0, NULL, 1795261059);
INSERT INTO trials VALUES('2bd6c458cb233dfc0b7fb11ba3b296fde23476f4b0cf24380662e09449c113a4', '5402885358c38692769324dbca97fc089f32155935b23e4ac1ac5d00f848cbf6', 'BLOCK=128 ITEMS=4', 'n=4096', 0, 'ok', 4736.000206321478, 4736.00011318922, 4608.000162988901, 128.00004333257675, 5, 13, 0, 0, NULL, 1795261059);
INSERT INTO trials VALUES('2bd6c458cb233dfc0b7fb11ba3b296fde23476f4b0cf24380662e09449c113a4', '5402885358c38692769324dbca97fc089f32155935b23e4ac1ac5d00f848cbf6', 'BLOCK=256 ITEMS=1', 'n=1048576', 1, 'ok', 6719.999946653843, 6819.555535912514, 6560.000125318766, 64.00002166628838, 9, 10, 0, 0, NULL, 1795261059);
INSERT INTO trials VALUES('2bd6c458cb233dfc0b7fb11ba3b296fde23476f4b0cf24380662e09449c113a4', '5402885358c38692769324dbca97fc089f32155935b23e4ac1ac5d00f848cbf6', 'BLOCK=256 ITEMS=1', 'n=4096', 0, 'ok', 3584.000049158931, 3541.333368048072, 3423.99999499321, 32.00001083314419, 9, 10, 0, 0, NULL, 1795261059);
INSERT INTO ledger VALUES(1, 1795261059, '0ae50c3ea969dc02687ff96af440df212669bd63061f66767059a4f110c564fb', '5402885358c38692769324dbca97fc089f32155935b23e4ac1ac5d00f848cbf6', 'entry', 'BLOCK=256 ITEMS=1; n == 1048576: BLOCK=128 ITEMS=4');
INSERT INTO statistics VALUES('compiled-specialised', 1);
INSERT INTO statistics VALUES('manifest-miss', 1);
INSERT INTO statistics VALUES('runner-started', 1);
INSERT INTO statistics VALUES('tuned', 1);
INSERT INTO stamps VALUES('50ea87e6ae0f40cf10aa37e97753623837ee4e80df86a204742cbda996f06b35', '/nowhere/saxpy.o.ktune/stamp');
INSERT INTO blobs VALUES('release of a compiler', 211, x'28b52ffd24d33d0500d2c922214049e601c044a62078b0604a32ff58b7b7084b8930b06bb6a12f9ec4cdf0382607acb58204284e01488ec3379437b25c964362a31d09c2d382b3ce67c3aaee96591f3c5113442df098e53148ebe67aba4dcb89c094b3adf40e30caa985efd5bbf35c7386d79ae322126c1326fa0b953bece7455ff2cf4a2b058f0ce575b83020b8811e482a6026c68b0a09002c439212d7e6cc867b5459dd55001becc25701f626141469f0a409', 1795261054);
INSERT INTO manifests VALUES('old form', 1, x'00', 1700000000);
PRAGMA application_id = 1263826286;
PRAGMA user_version = 1;
