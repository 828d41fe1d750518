import Foundation
import Rx
import RxFoundation
import Testing

private final class Labelled: NSObject, @unchecked Sendable {
    // Only this test's thread touches it.
    var text = ""
}

@Suite("Objects of Foundation")
struct NSObjectTests {
    @Test("Offer rx, with a binder for each of their properties, which does not keep them alive")
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
        texts.onNext("nobody hears")
        binding.dispose()
    }
}
