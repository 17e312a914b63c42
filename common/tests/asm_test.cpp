// What `asm` makes of listings: loops, counts and lines; and what it says without them.
#include "driver/asm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "base/files.h"
#include "failure_of.h"
#include "has.h"
#include "machine_code/loops.h"
#include "machine_code/view.h"

namespace wb {
using namespace machine_code;
namespace {

namespace fs = std::filesystem;

std::string listing(const std::string& name) {
  return read_file(WB_SOURCE_DIR "/common/tests/listings/" + name + ".txt");
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

bool same(const Instruction&) { return true; }

using Widths = std::map<int, int>;

TEST(Sass, HasLabelsLinesAndNoPadding) {
  const std::vector<Function> functions = read_sass(listing("sass"));
  ASSERT_EQ(functions.size(), 2U);
  const Function& add = functions[0];
  EXPECT_EQ(add.name, "add<4>");
  EXPECT_EQ(add.symbol, "_Z3addILi4EEvPfi");
  ASSERT_EQ(add.code.size(), 20U) << "neither the last jump nor NOP";
  EXPECT_EQ(add.code[2].text, "@!P0 BRA .L_x_5");
  EXPECT_EQ(add.code[2].name, "BRA");
  EXPECT_EQ(add.code[2].jump, 18U);
  EXPECT_EQ(add.code[7].lines, (std::vector<SourceLine>{{"/old/ch1_x/shared/dot.h", 3},
                                                        {"/old/ch1_x/01_sum/optimized.gpu", 15}}));
  EXPECT_EQ(add.code[8].lines, add.code[7].lines) << "until others come";
  EXPECT_EQ(add.code[13].lines.size(), 1U);
}

TEST(Sass, TheLoopThatWorksMostIsTheHottest) {
  const std::vector<Function> functions = read_sass(listing("sass"));
  EXPECT_EQ(loops_of(functions[0]).size(), 4U);
  const Hottest found = hottest(Form::sass, functions, same);
  ASSERT_TRUE(found.loop);
  EXPECT_EQ(found.function->name, "add<4>");
  EXPECT_EQ(found.loop->first, 7U) << "neither the outer one, nor one that waits or does less";
  EXPECT_EQ(found.loop->last, 12U);
  Tally counted = tally(Form::sass, *found.function, *found.loop);
  EXPECT_EQ(counted[Kind::fma], (Widths{{32, 2}}));
  EXPECT_EQ(counted[Kind::tensor], (Widths{{0, 1}}));
  EXPECT_EQ(counted[Kind::shared_load], (Widths{{128, 2}})) << "LDSM of four tiles is as wide";
  EXPECT_EQ(counted.count(Kind::load), 0U);
  counted = tally(Form::sass, functions[0], {0, 19});
  EXPECT_EQ(counted[Kind::store], (Widths{{16, 1}}));
  EXPECT_EQ(counted[Kind::stack_store], (Widths{{64, 1}}));
  EXPECT_EQ(counted[Kind::fma], (Widths{{32, 2}})) << "HFMA2 of zeros sets a constant";
}

TEST(Sass, AnOuterLoopIsTheHottestWhereTheInnerOneOnlyWaits) {
  // Without the jumps back of the two loops that work inside.
  const std::string text = replaced(replaced(listing("sass"), "@P3 BRA `(.L_x_2)", "@P3 EXIT"),
                                    "@P4 BRA `(.L_x_3)", "@P4 EXIT");
  const std::vector<Function> functions = read_sass(text);
  const Hottest found = hottest(Form::sass, functions, same);
  ASSERT_TRUE(found.loop);
  EXPECT_EQ(found.loop->first, 3U);
  EXPECT_EQ(found.loop->last, 17U);
}

TEST(Sass, AnInnerLoopThatDoesLessOfEachTimeRunsMoreOften) {
  const std::vector<Function> functions = read_sass(
      ".text._Z1av:\n.L_x_1:\n/*0000*/ LDG.E R0, [R2] ;\n/*0010*/ LDG.E R1, [R2] ;\n"
      ".L_x_2:\n/*0020*/ LDG.E R4, [R6] ;\n/*0030*/ @P0 BRA `(.L_x_2) ;\n"
      "/*0040*/ @P1 BRA `(.L_x_1) ;\n/*0050*/ EXIT ;\n");
  const Hottest found = hottest(Form::sass, functions, same);
  ASSERT_TRUE(found.loop);
  EXPECT_EQ(found.loop->first, 2U);
}

TEST(Sass, AJumpBackFromCodeThatWasPutAsideIsNoLoop) {
  // The part behind the last label is reached past its target alone, and leads back.
  const std::vector<Function> functions = read_sass(
      ".text._Z1av:\n/*0000*/ @P0 BRA `(.L_x_2) ;\n.L_x_1:\n/*0010*/ LDG.E R0, [R2] ;\n"
      "/*0020*/ EXIT ;\n.L_x_2:\n/*0030*/ LDG.E R1, [R2] ;\n/*0040*/ BRA `(.L_x_1) ;\n");
  EXPECT_EQ(functions[0].code[4].jump, 1U);
  EXPECT_TRUE(loops_of(functions[0]).empty());
  EXPECT_FALSE(hottest(Form::sass, functions, same).loop);
}

TEST(Sass, ALoopThatWaitsForAFlagIsNone) {
  const std::vector<Function> functions{read_sass(listing("sass"))[1]};
  const Hottest found = hottest(Form::sass, functions, same);
  EXPECT_EQ(found.function->name, "wait");
  EXPECT_FALSE(found.loop);
  EXPECT_EQ(loops_of(functions[0]).size(), 1U);
}

TEST(Sass, ALoopOfTheVariantComesBeforeABetterOneOfALibrary) {
  const std::vector<Function> functions = read_sass(listing("sass"));
  const Hottest found = hottest(Form::sass, functions, [](const Instruction& i) {
    return !i.lines.empty() && i.lines[0].number == 17;
  });
  ASSERT_TRUE(found.loop);
  EXPECT_EQ(found.loop->first, 13U);
}

TEST(Usage, IsThatOfTheFunction) {
  const std::string text =
      "Resource usage:\n Common:\n  GLOBAL:0\n Function _Z1av:\n"
      "  REG:216 STACK:8 SHARED:25856 LOCAL:0 CONSTANT[0]:580\n Function _Z1bv:\n  "
      "REG:1\n";
  const auto usage = read_usage(text, "_Z1av");
  ASSERT_TRUE(usage);
  EXPECT_EQ(usage->registers, 216);
  EXPECT_EQ(usage->stack, 8);
  EXPECT_EQ(usage->shared, 25856);
  EXPECT_FALSE(read_usage(text, "_Z1bv")) << "not all of it is said";
  EXPECT_FALSE(read_usage(text, "_Z1c"));
}

TEST(X86, ASourceLineIsThatOfTheInlinedCall) {
  const std::vector<Function> functions = read_x86(listing("objdump"));
  ASSERT_EQ(functions.size(), 2U);
  const Function& run = functions[0];
  EXPECT_EQ(run.name, "run");
  EXPECT_EQ(run.code[6].lines.size(), 2U);
  EXPECT_EQ(run.code[6].lines[0].file, "/usr/include/c++/12/bits/stl_algo.h");
  EXPECT_EQ(run.code[6].lines[1].number, 13);
  EXPECT_EQ(run.code[8].lines[0], run.code[6].lines[0]) << "only the inlining changed";
  EXPECT_EQ(run.code[8].lines[1].number, 14);
  EXPECT_EQ(run.code[17].text, "call memset");
  EXPECT_EQ(run.code[18].text, "jmp operator delete(void*)") << "out of the function";
  EXPECT_FALSE(run.code[18].jump);
  EXPECT_EQ(functions[1].code[4].jump, 0U) << "to its begin";
}

TEST(X86, CountsWhatOneInstructionDoes) {
  const std::vector<Function> functions{read_x86(listing("objdump"))[0]};
  const Hottest found = hottest(Form::x86, functions, same);
  ASSERT_TRUE(found.loop);
  EXPECT_EQ(found.loop->first, 6U);
  EXPECT_EQ(found.loop->last, 12U);
  Tally counted = tally(Form::x86, functions[0], *found.loop);
  EXPECT_EQ(counted[Kind::fma], (Widths{{32, 1}, {512, 1}}));
  EXPECT_EQ(counted[Kind::load], (Widths{{512, 2}})) << "the multiply-add loads, too";
  EXPECT_EQ(counted[Kind::store], (Widths{{512, 1}}));
  EXPECT_EQ(counted[Kind::stack_load], (Widths{{32, 1}, {64, 1}}));
  counted = tally(Form::x86, functions[0], {13, 16});
  EXPECT_EQ(counted[Kind::load], (Widths{{32, 2}})) << "lea loads nothing";
  EXPECT_EQ(counted[Kind::store], (Widths{{32, 1}})) << "add to memory loads and stores";
}

TEST(X86, ALoopThatCallsTheLibraryIsNone) {
  const auto loops = [](const std::string& call) {
    const std::vector<Function> functions{
        {"run",
         "run",
         {{.text = "vmovups zmm0,ZMMWORD PTR [rsi]", .name = "vmovups"},
          {.text = call, .name = "call"},
          {.text = "jne 0", .name = "jne", .jump = 0}}}};
    return hottest(Form::x86, functions, same).loop.has_value();
  };
  EXPECT_TRUE(loops("call expf"));
  EXPECT_FALSE(loops("call std::string::append"));
  EXPECT_FALSE(loops("call operator new(unsigned long)"));
}

TEST(Ptx, IsListedWithItsLines) {
  const std::vector<Function> functions = read_ptx(
      ".visible .entry _Z1av(\n\t.param .u64 _Z1av_param_0\n)\n{\n\t.reg .pred %p<2>;\n"
      "\t.loc\t1 13 5, function_name $L__info, inlined_at 2 20 17\n"
      "\tld.param.u64 \t%rd1, [_Z1av_param_0];\n$L__BB0_2:\n\tret;\n}\n"
      "\t.file\t1 \"/a/b.h\"\n\t.file\t2 \"/a/c.h\"\n");
  ASSERT_EQ(functions.size(), 1U);
  ASSERT_EQ(functions[0].code.size(), 3U);
  EXPECT_EQ(functions[0].code[0].text, "ld.param.u64 %rd1, [param_0];");
  EXPECT_EQ(functions[0].code[0].lines, (std::vector<SourceLine>{{"/a/b.h", 13}, {"/a/c.h", 20}}));
}

TEST(Listings, ThatEndEarlyAreRefused) {
  const std::string sass = listing("sass"), x86 = listing("objdump");
  EXPECT_THROW(read_sass(sass.substr(0, sass.find(".L_x_5:"))), std::runtime_error);
  EXPECT_THROW(read_x86(x86.substr(0, x86.find("  60:"))), std::runtime_error);
  EXPECT_THROW(read_sass(""), std::runtime_error);
  EXPECT_THROW(read_ptx("// nothing\n"), std::runtime_error);
  EXPECT_THROW(read_x86("file format elf64-x86-64\n"), std::runtime_error);
  EXPECT_THROW(read_x86(replaced(x86, "x86-64", "littleaarch64")), std::runtime_error);
}

TEST(Listings, AreReadWhereverTheyEnd) {  // and never past their end
  for (const std::string& text : {listing("sass"), listing("objdump")})
    for (std::size_t size = 0; size < text.size(); size += 7) {
      const auto read = text.find("elf64") == std::string::npos ? read_sass : read_x86;
      try {
        for (const Function& f : read(text.substr(0, size))) EXPECT_FALSE(f.code.empty());
      } catch (const std::runtime_error&) {
      }
    }
}

TEST(Names, AreShort) {
  EXPECT_EQ(short_name("main"), "main");
  EXPECT_EQ(short_name("_ZN12_GLOBAL__N_18multiplyILi4EEEvlPKf"), "multiply<4>");
  EXPECT_EQ(short_name("_ZN50_GLOBAL__N__cb759d97_12_optimized_cu_13f48068_90678multiplyILi1EEEvl"),
            "multiply<1>");
  EXPECT_EQ(short_name("_ZN1AclEv"), "A::operator()()");
  EXPECT_EQ(short_name(""), "");
}

// The whole command on a made-up build, with a disassembler that shows what a test says.
class Asm : public ::testing::Test {
 protected:
  Asm() {
    fs::create_directories(root_ / "build/ch1_x/CMakeFiles/sum_optimized_cpu.dir/01_sum");
    fs::create_directories(root_ / "ch1_x/01_sum");
    fs::create_directories(root_ / "bin");
    write_atomically(object(), "");
    write_atomically((root_ / "ch1_x/01_sum/optimized.host").string(),
                     std::string(12, '\n') + "  sum += x[i] * y[i];\n");
    shows(listing("objdump"));
    ::setenv("PATH", ((root_ / "bin").string() + ":" + path_).c_str(), 1);
    ::setenv("COLUMNS", "80", 1);
    catalogue_.source = root_;
    catalogue_.build = root_ / "build";
    catalogue_.backends = {{"cpu", ".host", "CPU", false, false, false, "objdump"}};
    catalogue_.lessons = {{"ch1_x/01_sum", "sum", {{"baseline", "cpu"}, {"optimized", "cpu"}}}};
    options_.names = {"sum/optimized"};
  }
  ~Asm() override {
    fs::remove_all(root_);
    ::setenv("PATH", path_.c_str(), 1);
    ::unsetenv("COLUMNS");
  }
  std::string object() const {
    return (root_ / "build/ch1_x/CMakeFiles/sum_optimized_cpu.dir/01_sum/optimized.host.o")
        .string();
  }
  void shows(const std::string& text) const {
    const std::string tool = (root_ / "bin/objdump").string();
    write_atomically((root_ / "listing").string(), text);
    write_atomically(tool, "#!/bin/sh\nexec cat '" + (root_ / "listing").string() + "'\n");
    fs::permissions(tool, fs::perms::owner_all);
  }
  std::string shown() const {
    testing::internal::CaptureStdout();
    EXPECT_EQ(driver::run_asm(catalogue_, options_, chosen_), 0);
    return testing::internal::GetCapturedStdout();
  }
  void expect_failure(int code, const std::string& part) const {
    const auto [ended, line] = failure_of([&] { driver::run_asm(catalogue_, options_, chosen_); });
    EXPECT_EQ(ended, code) << line;
    EXPECT_TRUE(has(line, part));
    EXPECT_FALSE(has(line, "\n"));
  }

  fs::path root_ = fs::temp_directory_path() / ("wb asm test " + std::to_string(::getpid()));
  std::string path_ = std::getenv("PATH");
  driver::Catalogue catalogue_;
  driver::RunOptions options_;
  driver::AsmOptions chosen_;
};

TEST_F(Asm, ShowsTheLoopNextToItsSource) {
  const std::string text = shown();
  for (const char* part :
       {"the hottest loop of run has 7 instructions", "lines 13 to 14",
        "multiply-adds         1 x 512 bit, 1 x 32 bit", "  13  sum += x[i] * y[i];",
        "vfmadd231ps zmm0,zmm1,ZMMWORD PTR [rsi+rax*1]\n"})
    EXPECT_TRUE(has(text, part));
  EXPECT_FALSE(has(text, "reference")) << "the harness's own is no variant's";
}

TEST_F(Asm, FindsALessonThatIsDeeperInItsChapter) {
  catalogue_.lessons[0].path = "ch1_x/hunts/01_sum";
  EXPECT_TRUE(has(shown(), "the hottest loop of run has 7 instructions"));
}

TEST_F(Asm, SaysThatThereIsNoLoop) {
  shows(replaced(replaced(listing("objdump"), "jne    20", "jne    3a"), "jne    44", "jne    48"));
  EXPECT_FALSE(has(shown(), "has no loop")) << "these still lead back";
  std::string text = listing("objdump");
  for (const char* jump : {"jne    20", "jne    44"}) text = replaced(text, jump, "jne    60");
  shows(text);
  EXPECT_TRUE(
      shown().starts_with("ch1_x/01_sum/optimized.host: run has no loop, so a thread runs "))
      << shown();
}

TEST_F(Asm, SumsUpALongLoopAndListsItWhereThatIsAskedFor) {
  const std::string one = "  2e:\tvfmadd231ss xmm0,xmm1,DWORD PTR [rsp+0x10]\n";
  std::string many;
  for (int i = 0; i < 120; ++i) many += one;
  shows(replaced(listing("objdump"), one, many));
  const std::string summed = shown();
  EXPECT_TRUE(has(summed, "  120 vfmadd231ss"));
  EXPECT_TRUE(has(summed, "are summed up by source lines; --loop lists them"));
  chosen_.loop = true;
  const std::string all = shown();
  EXPECT_FALSE(has(all, "summed up"));
  EXPECT_GT(std::count(all.begin(), all.end(), '\n'), 120);
}

TEST_F(Asm, TwoStandSideBySideWhereThereIsRoom) {
  fs::create_directories(root_ / "build/ch1_x/CMakeFiles/sum_baseline_cpu.dir/01_sum");
  write_atomically((root_ / "build/ch1_x/CMakeFiles/sum_baseline_cpu.dir/01_sum/b.o").string(), "");
  chosen_.against = "baseline";
  const auto widest = [](const std::string& text) {
    std::size_t most = 0;
    for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
      end = std::min(text.find('\n', at), text.size());
      most = std::max(most, end - at);
    }
    return most;
  };
  const std::string narrow = shown();
  EXPECT_LE(widest(narrow), 80U) << narrow;
  EXPECT_TRUE(has(narrow, "  optimized: loop           baseline: loop\n"));
  ::setenv("COLUMNS", "120", 1);
  options_.html = (root_ / "page.html").string();
  const std::string wide = shown();
  EXPECT_LE(widest(wide), 120U) << wide;
  EXPECT_TRUE(has(wide, "line  optimized "));
  const std::string page = read_file(options_.html);
  EXPECT_TRUE(has(page, "sum += x[i] * y[i];"));
}

TEST_F(Asm, SaysWhatIsWrongInOneLine) {
  chosen_.kernel = "walk";
  expect_failure(2, "has no walk; it has run");
  shows(listing("objdump") + listing("objdump"));  // of another type, say
  EXPECT_FALSE(
      has(failure_of([&] { driver::run_asm(catalogue_, options_, chosen_); }).second, "run, run"));
  chosen_.kernel = "ru";
  EXPECT_TRUE(has(shown(), "loop of run")) << "a part of a name is enough";
  chosen_ = {};
  chosen_.sass = true;
  expect_failure(2, "--sass and --ptx are forms of a GPU's code");
  chosen_ = {};
  chosen_.against = "fastest";
  expect_failure(2, "has no fastest");
  chosen_ = {};
  options_.names = {"sum"};
  expect_failure(2, "asm takes one variant, as in sum/baseline; ch1_x/01_sum has baseline, optim");
  options_.names = {"sum/optimized"};
  shows(listing("objdump").substr(0, listing("objdump").find("  60:")));
  expect_failure(5, "the listing ends in the middle of run");
  ::setenv("PATH", (root_ / "nowhere").c_str(), 1);
  const auto compiled_by = [&](const std::string& compiler) {
    write_atomically((root_ / "build/compile_commands.json").string(),
                     R"([{"directory": "/", "command": "')" + compiler +
                         R"(' -o CMakeFiles/sum_optimized_cpu.dir/01_sum/o -c x"}])");
  };
  for (const char* damaged : {"[", "3", "[]", R"([{"command": 3}])"}) {
    write_atomically((root_ / "build/compile_commands.json").string(), damaged);
    expect_failure(5, "compile_commands.json is unusable (");
  }
  compiled_by("/nowhere/c++");
  expect_failure(2, "asm needs objdump: install binutils");
  catalogue_.backends[0].disassembler = "nvdisasm";
  expect_failure(2, "asm needs cuobjdump: install the whole CUDA Toolkit, or");
  // Both are found next to the compiler; these say nothing of an architecture.
  for (const char* name : {"cuobjdump", "nvdisasm"})
    fs::copy_file("/bin/true", root_ / "bin" / name);
  compiled_by("bin/c++");
  expect_failure(2, "asm needs cuobjdump");
  compiled_by((root_ / "bin/c++").string());
  EXPECT_TRUE(has(shown(), "has no machine code of its own"));
  fs::remove(root_ / "bin/nvdisasm");
  expect_failure(2, "asm needs nvdisasm: install the whole CUDA Toolkit");
  catalogue_.backends[0].disassembler = "objdump";
  fs::remove(object());
  ::setenv("PATH", ((root_ / "bin").string() + ":" + path_).c_str(), 1);
  expect_failure(1, "does not compile");
  catalogue_.backends[0].disassembler.clear();
  expect_failure(2, "has no machine code here that asm reads");
}

TEST_F(Asm, NeedsTheObjectsOfItsVariantsAlone) {
  chosen_.against = "baseline";
  EXPECT_EQ(driver::asm_targets(catalogue_, options_, chosen_),
            (std::vector<std::string>{"sum_optimized_cpu", "sum_baseline_cpu"}));
}

}  // namespace
}  // namespace wb
