import Rx
import RxTesting
import Testing

@Suite("asResult", .noLeaks)
struct AsResultTests {
    private struct Other: Error {}

    @Test("An error becomes a failure value, which ends the stream")
    func results() {
        let typed: Observable<Result<String, TestError>> = Observable.of("a").concat(
            Observable.error(TestError())
        )
        .asResult(catching: TestError.self)
        #expect(events(typed.map(text)) == ["a", "<failed>", "done"])
        let any: Observable<Result<String, any Error>> = Observable<String>.error(Other()).asResult()
        #expect(events(any.map(text)) == ["<Other()>", "done"])
    }

    @Test("Errors of other types pass through, and a caught error does not reach later operators")
    func others() {
        let stream = Observable<String>.error(Other()).asResult(catching: TestError.self).map(text)
        #expect(events(stream) == ["error Other()"])
        let retried = Observable<String>.error(TestError()).asResult().map(text).retry(3)
        #expect(events(retried) == ["<failed>", "done"], "there is no error left to retry")
    }

    @Test("asResult works on singles and maybes")
    func traits() {
        #expect(events(Single.just("a").asResult().asObservable().map(text)) == ["a", "done"])
        #expect(
            events(Single<String>.error(TestError()).asResult().asObservable().map(text)) == [
                "<failed>", "done",
            ])
        #expect(
            events(
                Single<String>.error(TestError()).asResult(catching: TestError.self).asObservable().map(text))
                == ["<failed>", "done"])
        #expect(
            events(Single<String>.error(Other()).asResult(catching: TestError.self).asObservable().map(text))
                == ["error Other()"])
        #expect(events(Maybe<String>.empty().asResult().asObservable().map(text)) == ["done"])
        #expect(
            events(Maybe<String>.error(TestError()).asResult().asObservable().map(text)) == [
                "<failed>", "done",
            ])
        #expect(
            events(Maybe<String>.error(Other()).asResult(catching: TestError.self).asObservable().map(text))
                == ["error Other()"])
    }
}
