import Foundation
import RxCompatibility
import Testing

private final class Labelled: NSObject, @unchecked Sendable {
    // Only the test's thread accesses it.
    var text = ""
}

@Suite("NSObject.rx")
struct NSObjectTests {
    @Test("A property binder writes to the object and does not retain it")
    func binder() {
        weak var gone: Labelled?
        let texts = PublishSubject<String>()
        let binding: any Disposable
        do {
            let labelled = Labelled()
            gone = labelled
            binding = texts.bind(to: labelled.rx.text)
            texts.onNext("hello")
            #expect(labelled.text == "hello")
        }
        #expect(gone == nil)
        texts.onNext("ignored")
        binding.dispose()
    }
}
