// Hand-worked cases for the two counts that the coalescing lessons state in static_asserts.
#include <gtest/gtest.h>

#include "wb/coalescing.h"

namespace wb {
namespace {

// 32 lanes x 4 bytes = 128 bytes = 4 sectors, wherever the run starts on a sector boundary.
static_assert(sectors_per_request([](int lane) { return lane; }) == 4);
static_assert(sectors_per_request([](int lane) { return 8 + lane; }) == 4);

TEST(SectorsPerRequest, NeighbouringLanesShareSectors) {
  EXPECT_EQ(sectors_per_request([](int lane) { return lane; }, 1), 1);
  EXPECT_EQ(sectors_per_request([](int lane) { return lane; }, 2), 2);
  EXPECT_EQ(sectors_per_request([](int lane) { return lane; }, 8), 8);
  EXPECT_EQ(sectors_per_request([](int lane) { return lane; }, 16), 16);
}

TEST(SectorsPerRequest, OrderOfTheLanesDoesNotMatter) {
  EXPECT_EQ(sectors_per_request([](int lane) { return 31 - lane; }), 4);
  EXPECT_EQ(sectors_per_request([](int lane) { return lane ^ 5; }), 4);
}

TEST(SectorsPerRequest, MisalignedRunsTouchOneMore) {
  EXPECT_EQ(sectors_per_request([](int lane) { return lane + 1; }), 5);
  EXPECT_EQ(sectors_per_request([](int lane) { return lane + 7; }), 5);
}

TEST(SectorsPerRequest, StridesOfTwoFourEightAndMore) {
  EXPECT_EQ(sectors_per_request([](int lane) { return 2 * lane; }), 8);
  EXPECT_EQ(sectors_per_request([](int lane) { return 4 * lane; }), 16);
  EXPECT_EQ(sectors_per_request([](int lane) { return 8 * lane; }), 32);
  EXPECT_EQ(sectors_per_request([](int lane) { return 8192 * lane; }), 32);
  // Stride 3: 32 lanes spread over 94 floats, 376 bytes, 11.75 sectors: all 12 are touched.
  EXPECT_EQ(sectors_per_request([](int lane) { return 3 * lane; }), 12);
}

TEST(SectorsPerRequest, OneAddressIsOneSectorAndIdleLanesAreNone) {
  EXPECT_EQ(sectors_per_request([](int) { return 40; }), 1);
  EXPECT_EQ(sectors_per_request([](int lane) { return lane < 8 ? lane : -1; }), 1);
  EXPECT_EQ(sectors_per_request([](int) { return -1; }), 0);
}

TEST(SectorsPerRequest, ElementsMayStraddleSectors) {
  // 12-byte elements packed: 384 bytes, 12 sectors. A 48-byte element alone touches 2.
  EXPECT_EQ(sectors_per_request([](int lane) { return lane; }, 12), 12);
  EXPECT_EQ(sectors_per_request([](int lane) { return lane == 0 ? 0 : -1; }, 48), 2);
}

TEST(SectorsPerRequest, SixteenByTwoBlockOnARowMajorMatrix) {
  // threadIdx.x runs over 16 rows and threadIdx.y over 2 columns: a sector a row.
  EXPECT_EQ(sectors_per_request([](int lane) { return lane % 16 * 1024 + lane / 16; }), 16);
}

static_assert(bank_conflicts([](int lane) { return lane; }) == 1);
static_assert(bank_conflicts([](int lane) { return 32 * lane; }) == 32);
static_assert(bank_conflicts([](int lane) { return 33 * lane; }) == 1);

TEST(BankConflicts, StrideDecides) {
  EXPECT_EQ(bank_conflicts([](int lane) { return 2 * lane; }), 2);
  EXPECT_EQ(bank_conflicts([](int lane) { return 3 * lane; }), 1);
  EXPECT_EQ(bank_conflicts([](int lane) { return 8 * lane; }), 8);
  EXPECT_EQ(bank_conflicts([](int lane) { return 48 * lane; }), 16);
}

TEST(BankConflicts, TheSameWordIsBroadcast) {
  EXPECT_EQ(bank_conflicts([](int) { return 7; }), 1);
  EXPECT_EQ(bank_conflicts([](int lane) { return lane / 2; }), 1);
  // Two words in one bank, each wanted by 16 lanes.
  EXPECT_EQ(bank_conflicts([](int lane) { return lane % 2 * 32; }), 2);
}

TEST(BankConflicts, IdleLanesWantNothing) {
  EXPECT_EQ(bank_conflicts([](int lane) { return lane < 4 ? 32 * lane : -1; }), 4);
  EXPECT_EQ(bank_conflicts([](int) { return -1; }), 0);
}

TEST(BankConflicts, WideElementsAreServedInHalvesAndQuarters) {
  EXPECT_EQ(bank_conflicts([](int lane) { return lane; }, 8), 1);
  EXPECT_EQ(bank_conflicts([](int lane) { return lane; }, 16), 1);
  // A column of a tile with 16 float4 a row: 8 lanes want the same four banks.
  EXPECT_EQ(bank_conflicts([](int lane) { return 16 * lane; }, 16), 8);
  // The same with the column number swapped by the row: conflict-free.
  EXPECT_EQ(bank_conflicts([](int lane) { return 16 * lane + (lane & 7); }, 16), 1);
}

}  // namespace
}  // namespace wb
