// The files of Public/console/, and the icon, embedded so that every gateway has its console. Add each new file to both lists
// below; a test compares them.
#include "CConsole.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char certificates_js[] = {
#embed "../../Public/console/certificates.js"
};
static const unsigned char console_css[] = {
#embed "../../Public/console/console.css"
};
static const unsigned char dom_js[] = {
#embed "../../Public/console/dom.js"
};
static const unsigned char early_js[] = {
#embed "../../Public/console/early.js"
};
static const unsigned char explain_js[] = {
#embed "../../Public/console/explain.js"
};
static const unsigned char format_js[] = {
#embed "../../Public/console/format.js"
};
static const unsigned char gateway_js[] = {
#embed "../../Public/console/gateway.js"
};
static const unsigned char history_js[] = {
#embed "../../Public/console/history.js"
};
static const unsigned char index_html[] = {
#embed "../../Public/console/index.html"
};
static const unsigned char main_js[] = {
#embed "../../Public/console/main.js"
};
static const unsigned char metrics_js[] = {
#embed "../../Public/console/metrics.js"
};
static const unsigned char requests_js[] = {
#embed "../../Public/console/requests.js"
};
static const unsigned char routes_js[] = {
#embed "../../Public/console/routes.js"
};
static const unsigned char sluice_svg[] = {
#embed "../../Public/img/sluice.svg"
};
static const unsigned char upstreams_js[] = {
#embed "../../Public/console/upstreams.js"
};
static const unsigned char waterfall_js[] = {
#embed "../../Public/console/waterfall.js"
};

#define FILE(name, bytes) {name, bytes, sizeof bytes}

static const struct CConsoleFile files[] = {
    FILE("certificates.js", certificates_js),
    FILE("console.css", console_css),
    FILE("dom.js", dom_js),
    FILE("early.js", early_js),
    FILE("explain.js", explain_js),
    FILE("format.js", format_js),
    FILE("gateway.js", gateway_js),
    FILE("history.js", history_js),
    FILE("index.html", index_html),
    FILE("main.js", main_js),
    FILE("metrics.js", metrics_js),
    FILE("requests.js", requests_js),
    FILE("routes.js", routes_js),
    FILE("sluice.svg", sluice_svg),
    FILE("upstreams.js", upstreams_js),
    FILE("waterfall.js", waterfall_js),
};

size_t cconsole_count(void) { return sizeof files / sizeof *files; }

struct CConsoleFile cconsole_at(size_t index) { return files[index]; }
