# Run when the program is built: puts Vega's modules, as the distribution's libjs-vega has them in FOLDER, into one script
# OUTPUT that defines the global `vega`. They are written for a module loader, which here is a table of what each exports;
# d3 is inside the modules that use it. LICENCES is a text that goes in front, as a comment.

# In the order of need. What draws maps, trees, forces, clouds of words and the like is left out.
set(modules util time format loader dataflow canvas scale scenegraph statistics expression event-selector selection functions
            transforms view-transforms encode label runtime parser view)

file(READ "${LICENCES}" licences)
set(script "/*!\n${licences}*/\nvar vega = (function () {\n'use strict';\nvar table = {};\n")
string(APPEND script "function require(name) { return table[name]; }\n")
foreach(module IN LISTS modules)
  file(READ "${FOLDER}/vega-${module}.min.js" text)
  string(REGEX REPLACE "//# sourceMappingURL=[^\n]*" "" text "${text}")
  string(FIND "${text}" "</script" closing)
  if(NOT closing EQUAL -1)
    message(FATAL_ERROR "${FOLDER}/vega-${module}.min.js holds </script, which would end the page's script")
  endif()
  set(name "vega-${module}")
  if(module STREQUAL "selection")
    set(name "vega-selections")  # required by another name than its file's
  endif()
  string(APPEND script "(function (exports, module) {\n${text}\n}).call({}, table['${name}'] = {}, {});\n")
endforeach()
# What the package of all modules does besides collecting them: the transforms are made known to the dataflow.
string(APPEND script "var all = Object.assign.apply(null, [{}].concat(Object.keys(table).map(function (name) {
  return table[name];
})));
all.transforms = Object.assign(table['vega-dataflow'].transforms, table['vega-transforms'], table['vega-view-transforms'],
                               table['vega-encode'], table['vega-label']);
return all;
})();\n")
file(WRITE "${OUTPUT}" "${script}")
