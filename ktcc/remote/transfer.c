#include "remote/transfer.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "base/url.h"

#define URL_BYTES 4096

struct kt_server {
	CURLM *multi; /* keeps connections from one run to the next */
	char *base, *token, *ca;
	struct curl_slist *headers;
};

/* One request under way. */
struct under_way {
	CURL *easy;
	struct kt_transfer *transfer;
	size_t sent;
};

static size_t take_body(char *data, size_t size, size_t count, void *context)
{
	struct kt_transfer *transfer = context;
	kt_buf_add(&transfer->text, data, size * count);
	/* Fewer bytes taken than given end the transfer. */
	return transfer->text.failed ? 0 : size * count;
}

static size_t give_body(char *data, size_t size, size_t count, void *context)
{
	struct under_way *way = context;
	size_t left = way->transfer->body_size - way->sent;
	size_t some = left < size * count ? left : size * count;
	memcpy(data, way->transfer->body + way->sent, some);
	way->sent += some;
	return some;
}

kt_status kt_server_open(struct kt_server **out, const char *base, const char *token, const char *ca,
                         struct kt_error *err)
{
	/* TLS costs milliseconds to set up, which plain HTTP need not wait for. */
	bool tls = strncmp(base, "https:", 6) == 0;
	struct kt_server *server = calloc(1, sizeof *server);
	if (server == NULL || curl_global_init(tls ? CURL_GLOBAL_SSL : CURL_GLOBAL_NOTHING) != CURLE_OK) {
		free(server);
		return kt_fail(err, KT_ERR_MEMORY, "libcurl cannot be used");
	}
	server->multi = curl_multi_init();
	server->base = strdup(base);
	server->token = token != NULL ? strdup(token) : NULL;
	server->ca = ca != NULL ? strdup(ca) : NULL;
	/* Waiting for a server's leave to send two kilobytes would cost a second where none is given. */
	server->headers = curl_slist_append(NULL, "Expect:");
	if (server->multi == NULL || server->base == NULL || server->headers == NULL ||
	    (token != NULL && server->token == NULL) || (ca != NULL && server->ca == NULL)) {
		kt_server_close(server);
		return kt_fail(err, KT_ERR_MEMORY, "libcurl cannot be used");
	}
	*out = server;
	return KT_OK;
}

void kt_server_close(struct kt_server *server)
{
	if (server == NULL)
		return;
	if (server->multi != NULL)
		curl_multi_cleanup(server->multi);
	curl_slist_free_all(server->headers);
	free(server->base);
	free(server->token);
	free(server->ca);
	free(server);
	curl_global_cleanup();
}

static bool is_safe(const char *name)
{
	static const char kept[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	return strspn(name, kept) == strlen(name) && name[0] != '.';
}

static CURLcode set_protocols(CURL *easy)
{
#if LIBCURL_VERSION_NUM >= 0x075500
	return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static bool set_verb(CURL *easy, enum kt_transfer_verb verb, struct under_way *way)
{
	CURLcode rc = CURLE_OK;
	if (verb == KT_TRANSFER_HEAD)
		rc = curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
	if (verb == KT_TRANSFER_PUT &&
	    ((rc = curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L)) != CURLE_OK ||
	     (rc = curl_easy_setopt(easy, CURLOPT_READFUNCTION, give_body)) != CURLE_OK ||
	     (rc = curl_easy_setopt(easy, CURLOPT_READDATA, way)) != CURLE_OK))
		return false;
	if (verb == KT_TRANSFER_PUT)
		rc = curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)way->transfer->body_size);
	return rc == CURLE_OK;
}

/* What goes to this machine goes there directly, whatever proxy the environment names. */
static bool set_proxy(CURL *easy, const struct kt_server *server)
{
	return !kt_url_is_loopback(server->base) || (curl_easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK &&
	                                             curl_easy_setopt(easy, CURLOPT_NOPROXY, "*") == CURLE_OK);
}

static bool set_token(CURL *easy, const struct kt_server *server)
{
	return server->token == NULL ||
	       (curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER) == CURLE_OK &&
	        curl_easy_setopt(easy, CURLOPT_XOAUTH2_BEARER, server->token) == CURLE_OK);
}

static bool set_up(struct under_way *way, const struct kt_server *server, enum kt_transfer_verb verb, long limit_ms)
{
	char url[URL_BYTES];
	CURL *easy = way->easy;
	size_t length = strlen(server->base);
	bool slash = length > 0 && server->base[length - 1] == '/';
	int size = snprintf(url, sizeof url, "%s%s%s", server->base, slash ? "" : "/", way->transfer->name);
	return easy != NULL && size > 0 && (size_t)size < sizeof url && set_protocols(easy) == CURLE_OK &&
	       curl_easy_setopt(easy, CURLOPT_URL, url) == CURLE_OK &&
	       curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
	       curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
	       /* Each new TLS connection reads the certificates again: rather share one where the server can. */
	       curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L) == CURLE_OK &&
	       curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED) == CURLE_OK &&
	       curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, limit_ms) == CURLE_OK &&
	       curl_easy_setopt(easy, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)KT_TRANSFER_BODY_BYTES) == CURLE_OK &&
	       curl_easy_setopt(easy, CURLOPT_USERAGENT, "ktcc-remote/" KT_VERSION) == CURLE_OK &&
	       curl_easy_setopt(easy, CURLOPT_HTTPHEADER, server->headers) == CURLE_OK &&
	       curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body) == CURLE_OK &&
	       curl_easy_setopt(easy, CURLOPT_WRITEDATA, way->transfer) == CURLE_OK &&
	       (server->ca == NULL || curl_easy_setopt(easy, CURLOPT_CAINFO, server->ca) == CURLE_OK) &&
	       set_proxy(easy, server) && set_token(easy, server) && set_verb(easy, verb, way) &&
	       curl_easy_setopt(easy, CURLOPT_PRIVATE, way) == CURLE_OK;
}

static void finish(struct under_way *way, CURLcode rc)
{
	struct kt_transfer *transfer = way->transfer;
	if (rc == CURLE_OK)
		curl_easy_getinfo(way->easy, CURLINFO_RESPONSE_CODE, &transfer->status);
	transfer->error = rc == CURLE_OK                    ? NULL
	                  : rc == CURLE_OPERATION_TIMEDOUT  ? "timed out"
	                  : transfer->text.failed           ? "more bytes than an entry may have"
	                                                    : curl_easy_strerror(rc);
}

static void gather(struct kt_server *server)
{
	CURLMsg *message;
	int left;
	while ((message = curl_multi_info_read(server->multi, &left)) != NULL) {
		struct under_way *way = NULL;
		if (message->msg == CURLMSG_DONE &&
		    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&way) == CURLE_OK && way != NULL)
			finish(way, message->data.result);
	}
}

static void perform(struct kt_server *server, long limit_ms)
{
	const double end_s = kt_now_s() + (double)limit_ms * 1e-3;
	int running = 1;
	while (running > 0) {
		double left_s = end_s - kt_now_s();
		if (left_s <= 0 || curl_multi_perform(server->multi, &running) != CURLM_OK)
			break;
		gather(server);
		if (running > 0)
			curl_multi_poll(server->multi, NULL, 0, (int)(left_s * 1e3) + 1, NULL);
	}
	gather(server);
}

kt_status kt_server_run(struct kt_server *server, enum kt_transfer_verb verb, struct kt_transfer *transfers,
                        size_t count, long limit_ms, struct kt_error *err)
{
	struct under_way ways[KT_TRANSFER_MOST];
	kt_status status = KT_OK;
	if (count > KT_TRANSFER_MOST)
		return kt_fail(err, KT_ERR_LIMIT, "%zu requests at a time are too many", count);
	memset(ways, 0, sizeof ways);
	for (size_t i = 0; i < count; i++) {
		transfers[i].status = 0;
		transfers[i].error = "timed out";
		transfers[i].text = (struct kt_buf)KT_BUF(KT_TRANSFER_BODY_BYTES);
	}
	for (size_t i = 0; i < count && status == KT_OK; i++) {
		if (!is_safe(transfers[i].name)) {
			status = kt_fail(err, KT_ERR_INVALID, "a name with characters that are not allowed");
			break;
		}
		ways[i] = (struct under_way){curl_easy_init(), &transfers[i], 0};
		if (!set_up(&ways[i], server, verb, limit_ms) ||
		    curl_multi_add_handle(server->multi, ways[i].easy) != CURLM_OK)
			status = kt_fail(err, KT_ERR_MEMORY, "libcurl refuses a request");
	}
	if (status == KT_OK)
		perform(server, limit_ms);
	for (size_t i = 0; i < count && ways[i].easy != NULL; i++) {
		curl_multi_remove_handle(server->multi, ways[i].easy);
		curl_easy_cleanup(ways[i].easy);
	}
	return status;
}
