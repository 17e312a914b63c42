// Cases that no lesson lists: for its tests, and to find at which its plans lose.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "wb/variant.h"

namespace wb {

// Of `cases` those with the type, the operation and the other words of one of `like`, so far as
// both have such an axis; all where there are none. Numbers in words, such as those of a shape, are
// none.
std::vector<Case> alike(const std::vector<Case>& cases, const std::vector<Case>& like);

// `count` cases like the lesson's test cases, with other numbers in the axes that are sizes: any
// from 1 to the largest in the list, and often beside a power of two or a multiple of 32. None
// takes more flops, moves more bytes or has larger arrays than the listed case that has most of
// these. An axis that has one or two numbers in the whole list, or none above 8, is no size and
// keeps those. Every fourth case, of more than four every second one, ends each array where a page
// can end, if a few attempts find one, so that what is read behind it is found out: with one axis
// odd, if that goes, each in its turn, for whoever reads whole vectors does so at the ragged ends
// of rows. Half of the cases have the words of one of `like`, its type and operation, if a listed
// one has: an exercise may refuse all others. Equal seeds give equal cases.
std::vector<Case> random_cases(const Problem& problem, int count, std::uint64_t seed,
                               const std::vector<Case>& like = {});

// The same, all but the first with a profile of inputs (wb/profiles.h) that the problem takes. Each
// profile is drawn before one is drawn again.
std::vector<Case> with_profiles(const Problem& problem, std::vector<Case> cases,
                                std::uint64_t seed);

// `c` with about this share of its work: 128 and sizes from 192 on lose multiples of a tile, 64
// where they are whole ones and 32 elsewhere, so that whole tiles stay whole and ragged ones
// ragged, and keep one at least. Which size loses first is drawn. Nothing where no size is so
// large, or the problem does not take the smaller case.
std::optional<Case> smaller(const Problem& problem, const Case& c, double share,
                            std::uint64_t seed);

// `count` cases to time (fewer where hardly any fits): like one of `like`, but each axis that is a
// size has a number drawn by its logarithm, from 1 to the list's largest. They take no more than
// the list's largest demand, and a twentieth of its bytes at least.
std::vector<Case> unlisted_cases(const Problem& problem, const std::vector<Case>& like, int count,
                                 std::uint64_t seed);

}  // namespace wb
