import Testing

/// Tests run one at a time, because only one window can have the focus and a browser keeps several cores busy.
@Suite("In a browser", .serialized, SharedBrowser())
enum InBrowser {}
