#include "base/url.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#define HOST_BYTES 256

/* What follows "http://" or "https://"; NULL: another scheme. */
static const char *after_scheme(const char *url)
{
	return strncmp(url, "http://", 7) == 0 ? url + 7 : strncmp(url, "https://", 8) == 0 ? url + 8 : NULL;
}

/*
 * Host and port are letters, digits and ".-_", a host of colons in brackets; a port is digits. Returns the host's
 * length.
 */
static size_t host_length(const char *authority, size_t length)
{
	static const char name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
	static const char number[] = "0123456789abcdefABCDEF:.";
	size_t host = authority[0] == '[' ? 1 + strspn(authority + 1, number) : strspn(authority, name);

	if (authority[0] == '[')
		host = authority[host] == ']' ? host + 1 : 0;
	if (host == 0 || host > length)
		return 0;
	if (host < length && (authority[host] != ':' || host + 1 + strspn(authority + host + 1, "0123456789") != length))
		return 0;
	return host;
}

/* 0: there is no host, or one that is not to be read in one way only. */
static size_t find_host(const char **host, const char *url)
{
	*host = after_scheme(url);
	return *host != NULL ? host_length(*host, strcspn(*host, "/?#")) : 0;
}

bool kt_url_is_loopback(const char *url)
{
	char text[HOST_BYTES];
	struct in_addr address;
	const char *host;
	const size_t length = find_host(&host, url);

	if (length == 0 || length >= sizeof text)
		return false;
	memcpy(text, host, length);
	text[length] = '\0';
	if (strcasecmp(text, "localhost") == 0 || strcmp(text, "[::1]") == 0)
		return true;
	return inet_pton(AF_INET, text, &address) == 1 && (ntohl(address.s_addr) >> 24) == 127;
}

bool kt_url_may_go(const char *url)
{
	const char *host;

	return find_host(&host, url) != 0 && (strncmp(url, "https://", 8) == 0 || kt_url_is_loopback(url));
}
