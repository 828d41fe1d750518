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

    var method: Moya.Method {
        switch self {
        case .zen, .userProfile: .get
        case .createIssue: .post
        }
    }

    var task: Moya.Task {
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

enum Photos: TargetType {
    case upload(Data, note: String)

    var baseURL: String { "http://photos.test" }
    var path: RequestPath { "/photos" }
    var method: Moya.Method { .post }

    var task: Moya.Task {
        switch self {
        case .upload(let photo, let note):
            .uploadMultipart([
                MultipartFormData(
                    provider: .data(photo), name: "photo", fileName: "lunch.jpg", mimeType: "image/jpeg"),
                MultipartFormData(provider: .data(Data(note.utf8)), name: "note"),
            ])
        }
    }
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
        let logger = NetworkLoggerPlugin(configuration: .init(output: { _, items in print(items) }))
        let provider = MoyaProvider<GitHub>(transport: transport, plugins: [logger])

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
        let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)
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

    @Test("A provider of several APIs uploads a form with progress")
    func several() async throws {
        let scripted = Scripted(.response(201, body: "stored"))
        let transport = scripted.transport
        let output = Output()
        let print: @Sendable (Any) -> Void = { output.print($0) }
        let photo = Data(repeating: 7, count: 100)
        var body: Data?
        let provider = MoyaProvider<MultiTarget>(transport: transport)
        let target = MultiTarget(Photos.upload(photo, note: "rice"))
        for try await step in provider.requestWithProgress(target) {
            let isDone: Bool = step.completed
            print(isDone ? "done" : "\(Int(step.progress * 100)) %")
            if let response = step.response { body = response.data }
        }
        #expect(output.lines == ["100 %", "100 %", "done"])
        #expect(body == Data("stored".utf8))
        let sent = try #require(try scripted.transport.attempts.first?.call.body.collect())
        #expect(String(decoding: sent, as: UTF8.self).contains("name=\"note\"\r\n\r\nrice\r\n"))
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
