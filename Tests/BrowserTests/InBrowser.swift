import Testing

/// All suites of this target: one test at a time, for there is one window that has the focus, and a machine's cores are soon
/// taken.
@Suite("In a browser", .serialized, SharedBrowser())
enum InBrowser {}
