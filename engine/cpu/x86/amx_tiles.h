/* SPDX-License-Identifier: GPL-3.0-or-later */
/* amx_tiles.h - the tile instructions that amx_panel.c needs, numbers of tiles being constants. The
 * kernel checks put their own in plain C in its place (KERN_TILES). */
#pragma once

#include <immintrin.h>

#define TILES_CONFIGURE(config) _tile_loadconfig(config)
#define TILES_RELEASE() _tile_release()
#define TILE_ZERO(t) _tile_zero(t)
#define TILE_LOAD(t, from, stride) _tile_loadd(t, from, stride)
#define TILE_STORE(t, to, stride) _tile_stored(t, to, stride)
#define TILE_DOT_BF16(sum, a, b) _tile_dpbf16ps(sum, a, b)
