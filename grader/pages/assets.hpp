// The style and the scripts of the pages, which the build takes from assets/ and vendor/.
#pragma once

#include <string_view>

namespace grader::pages {

extern const std::string_view kPageCss;
extern const std::string_view kTablesJs;      ///< sorts and filters tables
extern const std::string_view kChartsJs;      ///< draws the charts of tables; needs uPlot
extern const std::string_view kUplotJs;       ///< the library uPlot
extern const std::string_view kUplotCss;      ///< its style
extern const std::string_view kUplotLicense;  ///< a page with the library contains this text

}  // namespace grader::pages
