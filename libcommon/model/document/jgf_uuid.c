/* Makes uuids (jgf.h). */
#include "model/document/jgf.h"

#include "base/digits.h"

static uuid_hash hash_on(uuid_hash h, const char *text)
{
    const uuid_hash prime = ((uuid_hash)1 << 88) + 0x13b;

    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * prime;
    return h;
}

uuid_hash uuid_hash_down(const uuid_hash *parent, const struct vertex *v,
                         const char *name)
{
    const uuid_hash start = (uuid_hash)UINT64_C(0x6c62272e07bb0142) << 64
                            | UINT64_C(0x62b821756295c58d);
    uuid_hash h = parent ? *parent : start;

    if (v->above)
        h = hash_on(h, v->above);
    return hash_on(hash_on(h, "/"), name);
}

struct made_uuid uuid_make(uuid_hash h, int64_t rank)
{
    struct made_uuid uuid;
    char text[DIGITS_MAX + 3] = "@-", *p = text + (rank < 0 ? 2 : 1);
    char *at = uuid.text + sizeof(uuid.text) - 1;

    *put_number(p, rank < 0 ? -(uint64_t)rank : (uint64_t)rank) = '\0';
    h = hash_on(h, text);
    h = (h & ~((uuid_hash)0xf << 76)) | (uuid_hash)8 << 76;
    h = (h & ~((uuid_hash)3 << 62)) | (uuid_hash)2 << 62;
    for (*at = '\0'; at > uuid.text; h >>= 4) {
        size_t left = (size_t)(--at - uuid.text);
        if (left == 8 || left == 13 || left == 18 || left == 23)
            *at-- = '-';
        *at = "0123456789abcdef"[(unsigned)h & 0xf];
    }
    return uuid;
}

static uuid_hash hash_of(const struct vertex *v)
{
    uuid_hash up = v->parent ? hash_of(v->parent) : 0;

    return uuid_hash_down(v->parent ? &up : NULL, v, v->name);
}

struct made_uuid vertex_made_uuid(const struct vertex *v)
{
    const struct vertex *ranked = v;

    while (ranked->rank < 0 && ranked->parent)
        ranked = ranked->parent;
    return uuid_make(hash_of(v), ranked->rank);
}
