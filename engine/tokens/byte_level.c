/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Byte-level vocabularies write each byte as one visible character: the visible ones of Latin-1 as
 * themselves, the other 68 in their order from U+0100 on. */
#include "tokens/tokens.h"

static bool is_visible(unsigned b)
{
    return (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
}

/* How many of the bytes below b are not visible. */
static unsigned hidden_below(unsigned b)
{
    unsigned n = b < 0x21 ? b : 0x21;
    if (b > 0x7F)
        n += (b < 0xA1 ? b : 0xA1) - 0x7F;
    if (b > 0xAD)
        n++;
    return n;
}

size_t tok_byte_to_text(uint8_t byte, char out[2])
{
    unsigned c = is_visible(byte) ? byte : 0x100 + hidden_below(byte);
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    out[0] = (char)(0xC0 | c >> 6);
    out[1] = (char)(0x80 | (c & 0x3F));
    return 2;
}

int tok_char_to_byte(uint32_t codepoint)
{
    if (codepoint < 0x100)
        return is_visible(codepoint) ? (int)codepoint : -1;
    unsigned i = codepoint - 0x100;
    if (i < 0x21)
        return (int)i;
    if (i < 0x21 + 0x22)
        return (int)(0x7F + i - 0x21);
    return i == 0x21 + 0x22 ? 0xAD : -1;
}
