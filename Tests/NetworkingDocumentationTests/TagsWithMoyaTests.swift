import Dispatch
import HTTPModel
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

enum TagService: TargetType {
    case tagFetch
    case receivedTagFetch(cardUUID: String)

    var baseURL: String { "http://tags.test" }
    var path: RequestPath {
        switch self {
        case .tagFetch: "/tags"
        case .receivedTagFetch(let cardUUID): "/tags/received/\(cardUUID)"
        }
    }
}

final class TagScreen: Sendable {
    let tagList = BehaviorRelay<[Tag]>(value: [])
    private let tagProvider: Provider<TagService>
    private let disposeBag = DisposeBag()

    init(_ tagProvider: Provider<TagService>) {
        self.tagProvider = tagProvider
    }

    func fetchWithAPI() {
        tagProvider.rx.request(.tagFetch)
            .filterSuccessfulStatusCodes()
            .map([Tag].self, atKeyPath: "data")
            .subscribe(
                with: self, onSuccess: { owner, tags in owner.tagList.accept(tags) },
                onFailure: { _, error in print(error) }
            )
            .disposed(by: disposeBag)
    }
}

struct TagAPIClass: Sendable {
    let tagProvider: Provider<TagService>

    func receivedTagFetch(cardUUID: String) -> Single<NetworkResult<GenericResponse<[Tag]>>> {
        tagProvider.rx.request(.receivedTagFetch(cardUUID: cardUUID)).judge([Tag].self)
    }
}

/// Contains the code of the article verbatim.
@Suite("Tags with Moya", .noLeaks)
struct TagsWithMoyaTests {
    private let list = #"{"status":200,"data":[{"name":"Kind whale","icon":"🐳"}]}"#

    @Test("A Single emits a success or a failure")
    func events() throws {
        let scripted = Scripted(.json(list))
        let provider = Provider<TagService>(transport: scripted.transport)
        let output = Output()
        let print: @Sendable (Any) -> Void = { output.print($0) }
        let subscription = provider.rx.request(.tagFetch).subscribe { event in
            switch event {
            case .success(let response): print(response.statusCode)
            case .failure(let error): print(error)
            }
        }
        subscription.dispose()
        #expect(output.lines == ["200"])
    }

    @Test("The screen gets its tags and keeps them when a later call fails")
    func screen() {
        let scripted = Scripted(.json(list), .response(500))
        let screen = TagScreen(Provider<TagService>(transport: scripted.transport))
        screen.fetchWithAPI()
        #expect(screen.tagList.value.map(\.name) == ["Kind whale"])
        screen.fetchWithAPI()
        #expect(screen.tagList.value.count == 1)
    }

    @Test("Releasing the screen cancels its call")
    func cancelled() {
        let scripted = Scripted(.json(list, after: .seconds(1)))
        do {
            let screen = TagScreen(Provider<TagService>(transport: scripted.transport))
            screen.fetchWithAPI()
            #expect(scripted.transport.inFlight == 1)
        }
        #expect(scripted.transport.inFlight == 0)
    }

    @Test("judge distinguishes the status in the envelope from the HTTP status")
    func judged() throws {
        let answers: [(StubTransport.Answer, OutcomeKind)] = [
            (.json(list), .success), (.json(#"{"status":404,"message":"no such card"}"#), .serverErr),
            (.response(400, body: #"{"status":400}"#), .requestErr), (.json("{}"), .pathErr),
            (.response(500), .serverErr),
        ]
        for (answer, kind) in answers {
            let api = TagAPIClass(
                tagProvider: Provider<TagService>(transport: Scripted(answer).transport))
            #expect(Seen(api.receivedTagFetch(cardUUID: "c1")).values.map(\.kind) == [kind])
        }
        let api = TagAPIClass(
            tagProvider: Provider<TagService>(transport: Scripted(.failure(.dnsError)).transport))
        #expect(Seen(api.receivedTagFetch(cardUUID: "c1")).error is NetworkError)
    }

    @Test("A stubbed provider returns a sample without calling the server")
    func stub() async throws {
        let scripted = Scripted()
        let provider = Provider<TagService>(
            transport: scripted.transport, stub: Provider<TagService>.immediatelyStub)
        #expect(try await provider.request(.tagFetch).statusCode == 200)
        #expect(scripted.transport.attempts.isEmpty)
    }
}
