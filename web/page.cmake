# The page of sda report as a source file of the library, SDA_PAGE_SOURCE. All that npm installs, and a
# copy of the sources beside it, are in the build folder.
set(SDA_PAGE_FOLDER ${PROJECT_BINARY_DIR}/web)
set(SDA_PAGE_SOURCE ${SDA_PAGE_FOLDER}/page_bundle.cc)
set(sda_page_sources
  build.mjs
  tsconfig.json
  src/charts/bars.tsx
  src/charts/time_chart.tsx
  src/charts/topic_map.tsx
  src/components/about.tsx
  src/components/documents.tsx
  src/components/over_time.tsx
  src/components/printed_topics.tsx
  src/components/topic_detail.tsx
  src/components/topic_list.tsx
  src/components/word_search.tsx
  src/components/words.tsx
  src/data.ts
  src/format.ts
  src/lookup.ts
  src/main.tsx
  src/page.tsx
  src/relevance.ts
  src/style.css
)
set(sda_page_copies)
foreach(name ${sda_page_sources} package.json package-lock.json)
  add_custom_command(OUTPUT ${SDA_PAGE_FOLDER}/${name}
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/web/${name} ${SDA_PAGE_FOLDER}/${name}
    DEPENDS ${PROJECT_SOURCE_DIR}/web/${name})
  list(APPEND sda_page_copies ${SDA_PAGE_FOLDER}/${name})
endforeach()
add_custom_command(OUTPUT ${SDA_PAGE_FOLDER}/node_modules/.package-lock.json
  COMMAND ${SDA_NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
  COMMAND ${CMAKE_COMMAND} -E touch node_modules/.package-lock.json
  WORKING_DIRECTORY ${SDA_PAGE_FOLDER}
  DEPENDS ${SDA_PAGE_FOLDER}/package.json ${SDA_PAGE_FOLDER}/package-lock.json
  COMMENT "Installing what builds the page; to build without it: -DSDA_PAGE=OFF")
add_custom_command(OUTPUT ${SDA_PAGE_SOURCE}
  COMMAND ${SDA_NODE} build.mjs
  WORKING_DIRECTORY ${SDA_PAGE_FOLDER}
  DEPENDS ${sda_page_copies} ${SDA_PAGE_FOLDER}/node_modules/.package-lock.json
  COMMENT "Building the page")
