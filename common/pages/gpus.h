// Which variants run on which GPU, as they declare it themselves (WB_NEEDS in wb/variant.h): the
// table between <!-- needs --> and <!-- end needs -->.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/document.h"

namespace wb::pages {

std::vector<std::filesystem::path> files_of_chapters(const std::filesystem::path& source);

// For a page in a folder of the top: a row for the variants of a lesson that declare the same,
// "yes", "no" or "not bf16" for each GPU. The sources are read, so that a build without a GPU's
// compiler makes the same table. Throws std::runtime_error for a declaration that no harness
// understands.
report::Table gpu_table(const std::filesystem::path& source);

// The page with its table written anew. Throws Failure with code 5 where a marker is missing.
std::string with_gpu_table(const std::string& page, const std::string& file,
                           const std::filesystem::path& source);

}  // namespace wb::pages
