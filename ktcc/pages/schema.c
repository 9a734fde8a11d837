/* docs/schema: JSON Schemas (draft 2020-12) of records, from the tables by which they are read and printed. */
#include "pages/pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/member.h"
#include "store/entry_record.h"

#define NOTES "\"^x_\":{}"
#define IDENTIFIER "[A-Za-z_][A-Za-z0-9_]{0,199}"

/* What texts and numbers of each kind are; as base/member_text.c reads them. */
static const char definitions[] =
    "{\"hash\":{\"type\":\"string\",\"pattern\":\"^[0-9a-f]{64}$\"},"
    "\"identifier\":{\"type\":\"string\",\"pattern\":\"^" IDENTIFIER "$\"},"
    "\"text\":{\"type\":\"string\",\"maxLength\":4096,\"pattern\":\"^[^\\\\u0000-\\\\u001f\\\\u007f]*$\"},"
    "\"word\":{\"type\":\"string\",\"maxLength\":4096,\"pattern\":\"^[ !#-\\\\[\\\\]-~]+$\"},"
    "\"line\":{\"type\":\"string\",\"maxLength\":1048576,\"pattern\":\"^[^\\\\u0000-\\\\u0008\\\\u000a-\\\\u001f\\\\u007f]*$\"},"
    "\"lines\":{\"anyOf\":[{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/line\"}},"
    "{\"type\":\"string\",\"maxLength\":1048576,\"pattern\":\"^[^\\\\u0000-\\\\u0008\\\\u000b-\\\\u001f\\\\u007f]*$\"}]},"
    "\"number\":{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"string\",\"pattern\":\"^-?[0-9]+$\"}]},"
    "\"values\":{\"type\":\"object\",\"patternProperties\":{" NOTES ",\"^(?!x_)" IDENTIFIER "$\":{\"$ref\":\"#/$defs/number\"}},"
    "\"additionalProperties\":false,\"maxProperties\":64}}";

static cJSON *parse(const char *text)
{
	cJSON *made = cJSON_Parse(text);

	if (made == NULL) {
		fprintf(stderr, "ktcc-pages: no JSON: %s\n", text);
		exit(1);
	}
	return made;
}

static cJSON *refer(const char *name)
{
	cJSON *made = cJSON_CreateObject();
	char text[64];

	snprintf(text, sizeof text, "#/$defs/%s", name);
	cJSON_AddStringToObject(made, "$ref", text);
	return made;
}

static cJSON *number(const char *type, const char *least, double low, double high)
{
	cJSON *made = cJSON_CreateObject();

	cJSON_AddStringToObject(made, "type", type);
	cJSON_AddNumberToObject(made, least, low);
	cJSON_AddNumberToObject(made, "maximum", high);
	return made;
}

/* Moves all members, and frees what they were of. */
static void take_members(cJSON *to, cJSON *from)
{
	while (from->child != NULL) {
		cJSON *one = cJSON_DetachItemViaPointer(from, from->child);
		char name[64];

		snprintf(name, sizeof name, "%s", one->string);
		cJSON_AddItemToObject(to, name, one);
	}
	cJSON_Delete(from);
}

static cJSON *record(const struct kt_members *members);

static cJSON *array(const struct kt_member *list)
{
	cJSON *made = cJSON_CreateObject();

	cJSON_AddStringToObject(made, "type", "array");
	cJSON_AddNumberToObject(made, "minItems", (double)list->low);
	cJSON_AddNumberToObject(made, "maxItems", (double)list->high);
	cJSON_AddItemToObject(made, "items", record(list->item));
	return made;
}

static cJSON *value(const struct kt_member *field)
{
	if (field->schema != NULL)
		return parse(field->schema);
	switch (field->kind) {
	case KT_MEMBER_INT:
		return field->low == INT64_MIN ? refer("number")
					       : number("integer", "minimum", (double)field->low, (double)field->high);
	case KT_MEMBER_TIME:
		return number("number", field->low == 0 ? "minimum" : "exclusiveMinimum", 0, KT_MEMBER_NS);
	case KT_MEMBER_BOOL:
		return parse("{\"type\":\"boolean\"}");
	case KT_MEMBER_OBJECT:
		return record(field->item);
	case KT_MEMBER_LIST:
		return array(field);
	case KT_MEMBER_NUMBERS:
		return refer("values");
	case KT_MEMBER_LINES:
		return refer("lines");
	case KT_MEMBER_OWN:
		return record(field->own->like);
	case KT_MEMBER_PLAIN:
		return refer("word");
	case KT_MEMBER_IDENTIFIER:
		return refer("identifier");
	case KT_MEMBER_HASH:
		return refer("hash");
	default: /* KT_MEMBER_LINE, KT_MEMBER_EXPRESSION: those that no closed record has are none of a schema's */
		break;
	}
	return refer("text");
}

/* An object with the members of the table, or the value of a record that is none. */
static cJSON *record(const struct kt_members *members)
{
	if (members->rows[0].name == NULL)
		return value(&members->rows[0]);
	cJSON *made = cJSON_CreateObject();
	cJSON_AddStringToObject(made, "type", "object");
	cJSON *properties = cJSON_AddObjectToObject(made, "properties");
	cJSON *required = cJSON_AddArrayToObject(made, "required");

	for (size_t i = 0; i < members->count; i++) {
		const struct kt_member *field = &members->rows[i];

		cJSON_AddItemToObject(properties, field->name, value(field));
		if (!(field->flags & (KT_MEMBER_SPARSE | KT_MEMBER_LENIENT)))
			cJSON_AddItemToArray(required, cJSON_CreateString(field->name));
	}
	cJSON_AddItemToObject(made, "patternProperties", parse("{" NOTES "}"));
	cJSON_AddFalseToObject(made, "additionalProperties");
	if (members->rules != NULL)
		take_members(made, parse(members->rules));
	return made;
}

/* `members` are those of the schema's root; freed. */
static void print(FILE *to, const char *title, cJSON *defined, cJSON *members)
{
	cJSON *made = cJSON_CreateObject();

	cJSON_AddStringToObject(made, "$schema", "https://json-schema.org/draft/2020-12/schema");
	cJSON_AddStringToObject(made, "title", title);
	cJSON_AddItemToObject(made, "$defs", defined);
	take_members(made, members);
	char *text = cJSON_Print(made);
	for (const char *c = text; c != NULL && *c != '\0'; c++)
		fputs(*c != '\t' ? (const char[]){*c, '\0'} : c > text && c[-1] == ':' ? " " : "  ", to);
	fputc('\n', to);
	cJSON_free(text);
	cJSON_Delete(made);
}

static void drop_required(cJSON *object, const char *const *names, size_t count)
{
	cJSON *required = cJSON_GetObjectItem(object, "required");

	for (int i = cJSON_GetArraySize(required); i-- > 0;)
		for (size_t n = 0; n < count; n++)
			if (strcmp(cJSON_GetArrayItem(required, i)->valuestring, names[n]) == 0) {
				cJSON_DeleteItemFromArray(required, i);
				break;
			}
}

/* A template may have its text in a file beside the entry (store/lock_text.h): then it has the hash of that. */
static void allow_text(cJSON *template_)
{
	static const char *const parts[] = {"helpers", "head", "body"};
	cJSON *properties = cJSON_GetObjectItem(template_, "properties");

	drop_required(template_, parts, 3);
	drop_required(cJSON_GetObjectItem(cJSON_GetObjectItem(properties, "further"), "items"), parts, 3);
	cJSON_AddItemToObject(properties, "text", refer("hash"));
	cJSON_AddItemToObject(template_, "oneOf",
			      parse("[{\"required\":[\"text\"],\"not\":{\"anyOf\":[{\"required\":[\"helpers\"]},"
				    "{\"required\":[\"head\"]},{\"required\":[\"body\"]}]}},"
				    "{\"required\":[\"helpers\",\"head\",\"body\"],\"not\":{\"required\":[\"text\"]}}]"));
}

void pages_entry_schema(FILE *to)
{
	cJSON *made = record(&kt_entry_record);

	allow_text(cJSON_GetObjectItem(cJSON_GetObjectItem(made, "properties"), "template"));
	/* store/entry_record.c asks for it after the others, so that a message is about those first. */
	cJSON_AddItemToArray(cJSON_GetObjectItem(made, "required"), cJSON_CreateString("hash"));
	print(to, "ktune lock entry", parse(definitions), made);
}

/* Templates have two members more there: what they are for. */
void pages_rewrite_schema(FILE *to)
{
	cJSON *defined = parse(definitions), *made = record(&kt_template_record);

	take_members(cJSON_GetObjectItem(made, "properties"),
		     parse("{\"region\":{\"type\":\"integer\",\"minimum\":0},\"instance\":{\"type\":\"integer\",\"minimum\":0}}"));
	cJSON_AddItemToArray(cJSON_GetObjectItem(made, "required"), cJSON_CreateString("region"));
	cJSON_AddItemToArray(cJSON_GetObjectItem(made, "required"), cJSON_CreateString("instance"));
	cJSON_AddItemToObject(defined, "template", made);
	print(to, "the answer of ktcc-clang rewrite", defined,
	      parse("{\"type\":\"object\",\"properties\":{"
		    "\"templates\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/template\"}},"
		    "\"declined\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
		    "\"region\":{\"type\":\"integer\",\"minimum\":0},\"instance\":{\"type\":\"integer\",\"minimum\":-1},"
		    "\"reason\":{\"type\":\"string\",\"pattern\":\"^[a-z0-9-]+$\"},\"line\":{\"type\":\"integer\",\"minimum\":0},"
		    "\"detail\":{\"type\":\"string\"}},\"required\":[\"region\",\"reason\"]}},"
		    "\"analysis\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
		    "\"region\":{\"type\":\"integer\",\"minimum\":0},\"line\":{\"type\":\"integer\",\"minimum\":0},"
		    "\"text\":{\"type\":\"string\"}},\"required\":[\"region\",\"line\",\"text\"]}}},"
		    "\"required\":[\"templates\",\"declined\",\"analysis\"]}"));
}
