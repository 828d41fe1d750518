// The files of Public/, embedded so that the executable needs no other files. Add each new file of Public/ to both lists
// below; a test compares them.
#include "CPages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char code_home_txt[] = {
#embed "../../Public/code/home.txt"
};
static const unsigned char code_weights_txt[] = {
#embed "../../Public/code/weights.txt"
};
static const unsigned char css_base_css[] = {
#embed "../../Public/css/base.css"
};
static const unsigned char css_cards_css[] = {
#embed "../../Public/css/cards.css"
};
static const unsigned char css_noscript_css[] = {
#embed "../../Public/css/noscript.css"
};
static const unsigned char css_page_css[] = {
#embed "../../Public/css/page.css"
};
static const unsigned char css_print_css[] = {
#embed "../../Public/css/print.css"
};
static const unsigned char css_stage_css[] = {
#embed "../../Public/css/stage.css"
};
static const unsigned char css_trace_css[] = {
#embed "../../Public/css/trace.css"
};
static const unsigned char css_weights_css[] = {
#embed "../../Public/css/weights.css"
};
static const unsigned char img_sluice_svg[] = {
#embed "../../Public/img/sluice.svg"
};
static const unsigned char index_html[] = {
#embed "../../Public/index.html"
};
static const unsigned char js_address_js[] = {
#embed "../../Public/js/address.js"
};
static const unsigned char js_arrivals_js[] = {
#embed "../../Public/js/arrivals.js"
};
static const unsigned char js_bars_js[] = {
#embed "../../Public/js/bars.js"
};
static const unsigned char js_cards_js[] = {
#embed "../../Public/js/cards.js"
};
static const unsigned char js_chart_js[] = {
#embed "../../Public/js/chart.js"
};
static const unsigned char js_code_js[] = {
#embed "../../Public/js/code.js"
};
static const unsigned char js_day_field_js[] = {
#embed "../../Public/js/day-field.js"
};
static const unsigned char js_direct_trace_js[] = {
#embed "../../Public/js/direct-trace.js"
};
static const unsigned char js_direct_js[] = {
#embed "../../Public/js/direct.js"
};
static const unsigned char js_dom_js[] = {
#embed "../../Public/js/dom.js"
};
static const unsigned char js_early_js[] = {
#embed "../../Public/js/early.js"
};
static const unsigned char js_entry_js[] = {
#embed "../../Public/js/entry.js"
};
static const unsigned char js_exchange_js[] = {
#embed "../../Public/js/exchange.js"
};
static const unsigned char js_failure_js[] = {
#embed "../../Public/js/failure.js"
};
static const unsigned char js_fates_js[] = {
#embed "../../Public/js/fates.js"
};
static const unsigned char js_faults_js[] = {
#embed "../../Public/js/faults.js"
};
static const unsigned char js_flow_js[] = {
#embed "../../Public/js/flow.js"
};
static const unsigned char js_format_js[] = {
#embed "../../Public/js/format.js"
};
static const unsigned char js_home_js[] = {
#embed "../../Public/js/home.js"
};
static const unsigned char js_lanes_js[] = {
#embed "../../Public/js/lanes.js"
};
static const unsigned char js_language_js[] = {
#embed "../../Public/js/language.js"
};
static const unsigned char js_limits_js[] = {
#embed "../../Public/js/limits.js"
};
static const unsigned char js_live_js[] = {
#embed "../../Public/js/live.js"
};
static const unsigned char js_main_js[] = {
#embed "../../Public/js/main.js"
};
static const unsigned char js_preferences_js[] = {
#embed "../../Public/js/preferences.js"
};
static const unsigned char js_raw_js[] = {
#embed "../../Public/js/raw.js"
};
static const unsigned char js_screen_js[] = {
#embed "../../Public/js/screen.js"
};
static const unsigned char js_shelf_js[] = {
#embed "../../Public/js/shelf.js"
};
static const unsigned char js_story_js[] = {
#embed "../../Public/js/story.js"
};
static const unsigned char js_texts_en_js[] = {
#embed "../../Public/js/texts/en.js"
};
static const unsigned char js_texts_ko_js[] = {
#embed "../../Public/js/texts/ko.js"
};
static const unsigned char js_tour_js[] = {
#embed "../../Public/js/tour.js"
};
static const unsigned char js_trace_js[] = {
#embed "../../Public/js/trace.js"
};
static const unsigned char js_translate_js[] = {
#embed "../../Public/js/translate.js"
};
static const unsigned char js_visitor_js[] = {
#embed "../../Public/js/visitor.js"
};
static const unsigned char js_waiting_js[] = {
#embed "../../Public/js/waiting.js"
};
static const unsigned char js_waterfall_js[] = {
#embed "../../Public/js/waterfall.js"
};
static const unsigned char js_weather_js[] = {
#embed "../../Public/js/weather.js"
};
static const unsigned char js_weights_js[] = {
#embed "../../Public/js/weights.js"
};

#define PAGE(path, name) {path, name, sizeof name}

static const struct CPage pages[] = {
    PAGE("code/home.txt", code_home_txt),
    PAGE("code/weights.txt", code_weights_txt),
    PAGE("css/base.css", css_base_css),
    PAGE("css/cards.css", css_cards_css),
    PAGE("css/noscript.css", css_noscript_css),
    PAGE("css/page.css", css_page_css),
    PAGE("css/print.css", css_print_css),
    PAGE("css/stage.css", css_stage_css),
    PAGE("css/trace.css", css_trace_css),
    PAGE("css/weights.css", css_weights_css),
    PAGE("img/sluice.svg", img_sluice_svg),
    PAGE("index.html", index_html),
    PAGE("js/address.js", js_address_js),
    PAGE("js/arrivals.js", js_arrivals_js),
    PAGE("js/bars.js", js_bars_js),
    PAGE("js/cards.js", js_cards_js),
    PAGE("js/chart.js", js_chart_js),
    PAGE("js/code.js", js_code_js),
    PAGE("js/day-field.js", js_day_field_js),
    PAGE("js/direct-trace.js", js_direct_trace_js),
    PAGE("js/direct.js", js_direct_js),
    PAGE("js/dom.js", js_dom_js),
    PAGE("js/early.js", js_early_js),
    PAGE("js/entry.js", js_entry_js),
    PAGE("js/exchange.js", js_exchange_js),
    PAGE("js/failure.js", js_failure_js),
    PAGE("js/fates.js", js_fates_js),
    PAGE("js/faults.js", js_faults_js),
    PAGE("js/flow.js", js_flow_js),
    PAGE("js/format.js", js_format_js),
    PAGE("js/home.js", js_home_js),
    PAGE("js/lanes.js", js_lanes_js),
    PAGE("js/language.js", js_language_js),
    PAGE("js/limits.js", js_limits_js),
    PAGE("js/live.js", js_live_js),
    PAGE("js/main.js", js_main_js),
    PAGE("js/preferences.js", js_preferences_js),
    PAGE("js/raw.js", js_raw_js),
    PAGE("js/screen.js", js_screen_js),
    PAGE("js/shelf.js", js_shelf_js),
    PAGE("js/story.js", js_story_js),
    PAGE("js/texts/en.js", js_texts_en_js),
    PAGE("js/texts/ko.js", js_texts_ko_js),
    PAGE("js/tour.js", js_tour_js),
    PAGE("js/trace.js", js_trace_js),
    PAGE("js/translate.js", js_translate_js),
    PAGE("js/visitor.js", js_visitor_js),
    PAGE("js/waiting.js", js_waiting_js),
    PAGE("js/waterfall.js", js_waterfall_js),
    PAGE("js/weather.js", js_weather_js),
    PAGE("js/weights.js", js_weights_js),
};

size_t cpages_count(void) { return sizeof pages / sizeof *pages; }

struct CPage cpages_at(size_t index) { return pages[index]; }
