import Dispatch
import FoundationEssentials
import HTTPModel
import Networking
import NetworkingCompatibility
import NetworkingSession
import NetworkingTesting
import Rx
import RxTesting
import Testing

enum GitHub: TargetType {
    case zen
    case userProfile(String)
    case createIssue(title: String, labels: [String])

    var baseURL: String { "http://github.test" }

    var path: RequestPath {
        switch self {
        case .zen: "/zen"
        case .userProfile(let name): "/users/\(name)"
        case .createIssue: "/issues"
        }
    }

    var method: HTTPMethod {
        switch self {
        case .zen, .userProfile: .get
        case .createIssue: .post
        }
    }

    var task: RequestTask {
        switch self {
        case .zen, .userProfile: .requestPlain
        case .createIssue(let title, let labels):
            .requestParameters(
                parameters: ["title": title, "labels": labels], encoding: JSONEncoding.default)
        }
    }

    var headers: HTTPFields { ["User-Agent": "diary"] }
    var validation: ValidationType { .successCodes }
    var sampleData: ArraySlice<UInt8> { ArraySlice("Half measures are as bad as nothing.".utf8) }
}

/// Contains the code of the article verbatim.
@Suite("Coming from Moya", .noLeaks)
struct ComingFromMoyaTests {
    @Test("A provider sends a call, maps its text and logs it")
    func call() async throws {
        let scripted = Scripted(.response(200, body: "Keep it logically awesome."))
        let transport = scripted.transport
        let bag = DisposeBag()
        let output = Output()
        let print: @Sendable (Any) -> Void = { output.print($0) }
        let provider = Provider<GitHub>(transport: transport, plugins: [NetworkLogger { print($0) }])

        provider.rx.request(.zen)
            .filterSuccessfulStatusCodes()
            .mapString()
            .subscribe(onSuccess: { print($0) }, onFailure: { print($0) })
            .disposed(by: bag)
        #expect(output.lines.last == "Keep it logically awesome.")
        #expect(output.lines.count == 3)
    }

    @Test("A stubbed provider returns the target's sample")
    func samples() async throws {
        let provider = Provider<GitHub>(stub: Provider<GitHub>.immediatelyStub)
        let zen = try await provider.rx.request(.zen).mapString().value
        #expect(zen == "Half measures are as bad as nothing.")
    }

    @Test("A failing status converts to a MoyaError")
    func failure() throws {
        let scripted = Scripted(.response(404))
        let provider = Provider<GitHub>(transport: scripted.transport)
        let output = Output()
        let print: @Sendable (Any) -> Void = { output.print($0) }
        let profile = provider.rx.request(.userProfile("ashfurrow"))
            .filterSuccessfulStatusCodes()
            .do(onError: { error in
                switch (error as? NetworkError)?.moyaError {
                case .statusCode(let response): print(response.statusCode)
                case .underlying(let error, _): print(error)
                default: print(error)
                }
            })
        #expect(Seen(profile).error is NetworkError)
        #expect(output.lines == ["404"])
    }

    @Test("The parts of a target are sent as in Moya")
    func target() throws {
        let scripted = Scripted(.response(201))
        let provider = Provider<GitHub>(transport: scripted.transport)
        _ = Seen(provider.rx.request(.createIssue(title: "a/b", labels: ["bug", "ui"])))
        let call = try #require(scripted.transport.attempts.first?.call)
        #expect(
            try String(decoding: call.body.collect(), as: UTF8.self)
                == #"{"title":"a/b","labels":["bug","ui"]}"#)
        #expect(call.fields["User-Agent"] == "diary")
    }
}
