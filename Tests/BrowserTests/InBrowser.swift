import Testing

// Tests run one at a time in each browser, because only one window can have the focus. Three browsers use the
// time that one waits.

/// What the page does.
@Suite("In a browser", .serialized, SharedBrowser())
enum InBrowser {}

/// How the page looks, its words beside what was on the wire, and the checks themselves.
@Suite("In another browser", .serialized, SharedBrowser())
enum InOtherBrowser {}

/// The page and faults of upstreams.
@Suite("In a third browser", .serialized, SharedBrowser())
enum InThirdBrowser {}
