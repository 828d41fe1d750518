import FromRxSwift
import Testing

@Suite("Source written for RxSwift, in mode 5")
struct ExampleTests {
    @Test("RxSwift's examples compile with only their import changed, and print the expected lines")
    func examples() {
        #expect(
            Examples.run() == [
                "2", "next(3)", "completed", "abc", "0", "1", "2", "blocked",
                "x", "x1", "x1", "x-1", "1", "x1", "y1", "y1", "y", "y@1", "y1",
                "SAVED", "offline", "7", "8", "12", "rx",
                "subscribed", "a1", "b1", "a2", "b2", "[1]", "next(2)", "0:6 1:4",
                "b at 80", "0 at 140", "1 at 200", "over",
                "[next(2), next(4)]", "true", "321", "next(1)", "completed", "[1, 2]", "[0, 1, 2]",
                "false", "true", "false", "1", "3", "some", "12", "3", "4",
            ])
    }
}
