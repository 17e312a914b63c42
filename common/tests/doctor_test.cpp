// Doctor on machines made of files and answers, so that a test knows what has to be found.
#include "driver/doctor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "driver/catalogue.h"
#include "has.h"

namespace wb::driver {
namespace {

namespace fs = std::filesystem;

class Doctor : public ::testing::Test {
 protected:
  Doctor() {
    root_ = fs::temp_directory_path() / ("wb_doctor_test_" + std::to_string(getpid()));
    fs::remove_all(root_);
    catalogue_.build = root_ / "build";
    machine_.root = root_;
    machine_.run = [this](const std::vector<std::string>& command) -> std::string {
      const std::string words = fmt::format("{}", fmt::join(command, " "));
      for (const auto& [start, answer] : answers_)
        if (words.starts_with(start)) return answer;
      return "";
    };
    answers_["nproc"] = "2\n";
  }
  ~Doctor() override { fs::remove_all(root_); }

  void file(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  // The only finding on a subject; a failure of the test when there is none.
  Finding finding(const std::string& subject) {
    std::vector<Finding> found;
    for (const Finding& f : examine(catalogue_, machine_))
      if (f.subject == subject) found.push_back(f);
    EXPECT_EQ(found.size(), 1u) << subject;
    return found.size() == 1 ? found[0] : Finding{Health::note, "", "", ""};
  }
  bool mentions(const std::string& subject) {
    for (const Finding& f : examine(catalogue_, machine_))
      if (f.subject == subject) return true;
    return false;
  }
  void cuda_build() {
    file("build/CMakeCache.txt", "CMAKE_CUDA_COMPILER:STRING=/opt/cuda/bin/nvcc\n");
    answers_["/opt/cuda/bin/nvcc --version"] = "Cuda compilation tools, release 13.0, V13.0.88\n";
    answers_["nvidia-smi --format"] = "580.1\n580.1\n";
    answers_["nvidia-smi --version"] = "NVML version : 580\nCUDA Version        : 13.0\n";
  }

  fs::path root_;
  Catalogue catalogue_;
  Machine machine_;
  std::map<std::string, std::string, std::greater<>> answers_;  // longer commands first
};

TEST_F(Doctor, SaysWhereAContainerLimitsProcessors) {
  EXPECT_FALSE(mentions("CPU limit"));
  file("sys/fs/cgroup/cpu.max", "150000 100000\n");
  EXPECT_EQ(finding("CPU limit").found, "1.5 processors");
  EXPECT_EQ(finding("CPU limit").health, Health::note);
  file("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(finding("CPU limit").health, Health::ok);
  file("sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_FALSE(mentions("CPU limit"));
}

TEST_F(Doctor, ItsExitCodeIsOfAllFindings) {
  cuda_build();
  file("build/CMakeCache.txt",
       "CMAKE_CUDA_COMPILER:STRING=/opt/cuda/bin/nvcc\nCUDA_cupti_LIBRARY:FILEPATH=/cupti.so\n");
  catalogue_.bin = "/bin";
  answers_["/bin/peaks --known"] = "cpu: measured on 2026-11-20\n";
  EXPECT_EQ(doctor_code(examine(catalogue_, machine_)), 0) << "gnuplot is merely useful";
  answers_.erase("nvidia-smi --format");  // which is not the last finding
  EXPECT_EQ(doctor_code(examine(catalogue_, machine_)), 3);
}

TEST_F(Doctor, SaysHowToGetWhatIsMissing) {
  EXPECT_EQ(finding("gnuplot").health, Health::note);
  EXPECT_TRUE(has(finding("gnuplot").advice, "gnuplot-nox"));
  answers_["gnuplot --version"] = "gnuplot 5.4 patchlevel 4\n";
  EXPECT_EQ(finding("gnuplot").health, Health::ok);
  EXPECT_EQ(finding("gnuplot").advice, "");
}

TEST_F(Doctor, KnowsTheReferenceBlasFromAFastOne) {
  EXPECT_EQ(finding("BLAS").found, "not found");
  file("build/CMakeCache.txt",
       "BLAS_blas_LIBRARY:FILEPATH=/lib/libblas.so\nBLAS_mkl_LIBRARY:FILEPATH=X-NOTFOUND\n"
       "DNNL_LIBRARY:FILEPATH=DNNL_LIBRARY-NOTFOUND\n");
  answers_["readlink -f /lib/libblas.so"] = "/lib/blas/libblas.so.3\n";
  EXPECT_EQ(finding("BLAS").health, Health::note);
  answers_["readlink -f /lib/libblas.so"] = "/lib/openblas-pthread/libblas.so.3\n";
  EXPECT_EQ(finding("BLAS").health, Health::ok);
  EXPECT_EQ(finding("BLAS").found, "libblas.so.3 in /lib/openblas-pthread")
      << "a line that can be broken before it is wider than a screen";
  EXPECT_EQ(finding("oneDNN").health, Health::note);
}

TEST_F(Doctor, WithoutAGpuMissesNothingOfCuda) {
  EXPECT_EQ(finding("CUDA toolkit").health, Health::note);
  EXPECT_FALSE(mentions("NVIDIA driver"));
}

TEST_F(Doctor, SaysThatAGpuNeedsTheToolkit) {
  answers_["nvidia-smi --format"] = "580.1\n580.1\n";
  EXPECT_TRUE(has(finding("CUDA toolkit").advice, "cuda-downloads"));
  EXPECT_EQ(doctor_code(examine(catalogue_, machine_)), 0) << "the CPU's variants run";
}

TEST_F(Doctor, SaysHowToGetAToolkitIntoTheBuild) {
  answers_["/usr/local/cuda/bin/nvcc --version"] = "Cuda compilation tools, release 12.4, V12\n";
  EXPECT_EQ(finding("CUDA toolkit").found, "12.4, /usr/local/cuda/bin/nvcc, not in this build");
  EXPECT_EQ(finding("CUDA toolkit").health, Health::note);
  cuda_build();
  answers_.erase("/opt/cuda/bin/nvcc --version");
  EXPECT_EQ(finding("CUDA toolkit").health, Health::missing);
}

TEST_F(Doctor, PassesOnWhatIsKnownOfCeilings) {
  EXPECT_FALSE(mentions("cpu ceilings"));
  catalogue_.bin = "/bin";
  answers_["/bin/peaks --known"] =
      "cpu: measured on 2026-11-20\ncuda: cudaGetDevice: insufficient driver\n";
  EXPECT_EQ(finding("cpu ceilings").health, Health::ok);
  EXPECT_EQ(finding("cuda ceilings").health, Health::missing);
  EXPECT_EQ(finding("cuda ceilings").found, "cudaGetDevice: insufficient driver");
  answers_["/bin/peaks --known"] = "cpu: not measured yet\n";
  EXPECT_EQ(finding("cpu ceilings").health, Health::note);
}

TEST_F(Doctor, ReadsTheDriver) {
  cuda_build();
  EXPECT_EQ(finding("CUDA toolkit").found, "13.0, /opt/cuda/bin/nvcc");
  EXPECT_EQ(finding("NVIDIA driver").found, "580.1, for CUDA up to 13.0");
  EXPECT_EQ(finding("NVIDIA driver").health, Health::ok);
  EXPECT_EQ(finding("CUPTI").health, Health::missing);
}

TEST_F(Doctor, TellsADriverThatIsTooOld) {
  cuda_build();
  answers_["nvidia-smi --version"] = "CUDA Version : 12.2\n";
  EXPECT_EQ(finding("NVIDIA driver").health, Health::missing);
  EXPECT_TRUE(has(finding("NVIDIA driver").advice, "13.0"));
  answers_.erase("nvidia-smi --version");  // an old one does not say; the ceilings do
  EXPECT_EQ(finding("NVIDIA driver").health, Health::ok);
  EXPECT_EQ(finding("NVIDIA driver").found, "580.1");
}

TEST_F(Doctor, TellsADriverThatIsNotThere) {
  cuda_build();
  answers_.erase("nvidia-smi --format");
  EXPECT_EQ(finding("NVIDIA driver").found, "not loaded");
  EXPECT_EQ(finding("NVIDIA driver").health, Health::missing);
  file("proc/driver/nvidia/version", "NVRM version: 580.1\n");
  EXPECT_EQ(finding("NVIDIA driver").found, "loaded, but nvidia-smi fails");
}

TEST_F(Doctor, ReadsWhoMayUseCounters) {
  cuda_build();
  file("proc/driver/nvidia/params", "RmProfilingAdminOnly: 1\n");
  EXPECT_EQ(finding("GPU counters").found, "for root only");
  EXPECT_EQ(finding("GPU counters").health, geteuid() == 0 ? Health::ok : Health::note);
  file("proc/driver/nvidia/params", "RmProfilingAdminOnly: 0\n");
  EXPECT_EQ(finding("GPU counters").found, "open to everyone");
}

}  // namespace
}  // namespace wb::driver
