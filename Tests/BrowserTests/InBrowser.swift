import Testing

/// What the page does. Tests run one at a time in each browser, because only one window can have the focus.
@Suite("In a browser", .serialized, SharedBrowser())
enum InBrowser {}

/// How the page looks, its words beside what was on the wire, and the checks themselves: at the same time as the others, in another
/// browser.
@Suite("In another browser", .serialized, SharedBrowser())
enum InOtherBrowser {}
