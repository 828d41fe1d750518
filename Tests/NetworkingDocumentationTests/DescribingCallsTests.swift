import FoundationEssentials
import HTTPModel
import Networking
import NetworkingCompatibility
import NetworkingSession
import NetworkingTesting
import Rx
import RxTesting
import Testing

enum DiaryAPI: TargetType {
    case weights(from: String, keyword: Keyword?)
    case put(day: String, Weight)
    case photo(day: String, file: String)

    enum Keyword: String, ParameterConvertible { case recent, total }

    var baseURL: String { "http://diary.test/food-diary" }

    var path: RequestPath {
        switch self {
        case .weights: "/weights"
        case .put(let day, _): "/weights/\(day)"
        case .photo(let day, _): "/weights/\(day)/photo"
        }
    }

    var method: HTTPMethod {
        switch self {
        case .weights: .get
        case .put: .put
        case .photo: .post
        }
    }

    var task: RequestTask {
        switch self {
        case .weights(let day, let keyword):
            .parameters(["fddDate": day, "keyword": keyword], encoding: .query)
        case .put(_, let weight):
            .json(weight).adding(query: ["dryRun": true])
        case .photo(_, let file):
            .multipart(MultipartFormData([.text("lunch", name: "title"), .file(file, name: "photo")]))
        }
    }

    var headers: HTTPFields { ["X-App": "diary/7"] }
    var envelope: ResponseEnvelope { .genericResponse }
    var validation: ValidationType { .successCodes }
    var timeout: Duration? { if case .photo = self { .seconds(60) } else { nil } }
    var sampleResponse: SampleResponse { .json(#"{"status":200,"data":[]}"#) }
}

struct Weight: Codable, Sendable {
    var am: Double?
    var pm: Double?
}

/// A target that sends a given task.
private struct Call: TargetType {
    var baseURL: String { "http://diary.test" }
    var path: RequestPath = "/x"
    var method: HTTPMethod = .post
    var headers = HTTPFields()
    var task: RequestTask
}

/// Contains the code of the article verbatim.
@Suite("Describing calls", .noLeaks)
struct DescribingCallsTests {
    private let scripted = Scripted(.response(200, body: #"{"status":200,"data":[]}"#))

    private func sent(_ call: Call) throws -> TransportCall {
        _ = Seen(Provider<Call>(transport: scripted.transport).rx.request(call))
        return try #require(scripted.transport.attempts.last?.call)
    }

    /// Returns the query of the call, or its body if it has no query.
    private func written(_ task: RequestTask) throws -> String {
        let call = try sent(Call(task: task))
        return try call.query ?? String(decoding: call.body.collect(), as: UTF8.self)
    }

    @Test("A target's calls are sent as the article shows")
    func target() throws {
        let diary = Provider<DiaryAPI>(transport: scripted.transport)
        let file = FileManager.default.temporaryDirectory.path + "/sluice-\(UUID().uuidString).jpg"
        try Data([0xff, 0xd8]).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        for call in [
            DiaryAPI.weights(from: "2026-11-20", keyword: .recent), .put(day: "2026-11-20", Weight(am: 72.5)),
            .photo(day: "2026-11-20", file: file),
        ] {
            _ = Seen(diary.rx.request(call))
        }
        let lines = scripted.sent.map { line in
            line.replacing(#/ -H '(Accept|Via)[^']*'/#, with: "").replacing(
                #/sluice-\w+/#, with: "sluice-...")
        }
        #expect(
            lines.joined(separator: "\n") == """
                curl --globoff 'http://diary.test/food-diary/weights?fddDate=2026-11-20&keyword=recent' -H 'X-App: diary/7'
                curl -X PUT --globoff 'http://diary.test/food-diary/weights/2026-11-20?dryRun=true' -H 'X-App: diary/7' -H 'Content-Type: application/json' --data-raw '{"am":72.5}'
                curl -X POST --globoff 'http://diary.test/food-diary/weights/2026-11-20/photo' -H 'X-App: diary/7' -H 'Content-Type: multipart/form-data; boundary=sluice-...'  # streamed body omitted
                """)
        #expect(scripted.transport.attempts[2].call.timeout == .seconds(60))
    }

    @Test("A path value stays in its segment, or the call fails before anything is sent")
    func path() throws {
        let diary = Provider<DiaryAPI>(transport: scripted.transport)
        let call = diary.rx.request(.put(day: "../accounts", Weight()))
        let error = try #require(Seen(call).error as? NetworkError)
        #expect(scripted.transport.attempts.isEmpty)
        let output = Output()
        output.print(error)
        #expect(
            output.text == """
                DiaryAPI: networkFail http_request_error: a value in the path has a slash, a backslash or a control character (attempts 0)
                """)
        #expect(error.requestPart == .url)
    }

    @Test("Each task in the article's table sends what the table says")
    func tasks() throws {
        let parameters: Parameters = ["page": 2, "tag": ["a", "b"]]
        #expect(try written(.json(Weight(am: 1))) == #"{"am":1}"#)
        #expect(try written(.parameters(parameters, encoding: .query)) == "page=2&tag=a&tag=b")
        #expect(try written(.form(Weight(am: 1.5, pm: 2))) == "am=1.5&pm=2.0")
        #expect(try written(.query(Weight(am: 1.5, pm: 2))) == "am=1.5&pm=2.0")
        #expect(try written(.data([1, 2][...])) == "\u{1}\u{2}")
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let task = RequestTask.json(["createdAt": "2026-11-20"], encoder: encoder)
        #expect(try written(task).contains("2026-11-20"))
    }

    @Test("Encodings write parameters as the article shows")
    func encodings() throws {
        let parameters: Parameters = [
            "q": "a b/c?&", "tag": ["x", "y"], "done": true, "user": ["id": 7] as Parameters,
            "page": nil as Int?,
        ]
        let encodings: [(String, ParameterEncoding)] = [
            (".query", .query), (".form", .form), (".json", .json),
            (".query(lists: .indexed, members: .dots)", .query(lists: .indexed, members: .dots)),
            ("URLEncoding.queryString", URLEncoding.queryString),
        ]
        let output = Output()
        for (name, encoding) in encodings {
            output.print(name)
            output.print("    \(try written(.parameters(parameters, encoding: encoding)))")
        }
        #expect(
            output.text == """
                .query
                    q=a%20b/c?%26&tag=x&tag=y&done=true&user%5Bid%5D=7
                .form
                    q=a+b%2Fc%3F%26&tag=x&tag=y&done=true&user%5Bid%5D=7
                .json
                    {"q":"a b/c?&","tag":["x","y"],"done":true,"user":{"id":7}}
                .query(lists: .indexed, members: .dots)
                    q=a%20b/c?%26&tag%5B0%5D=x&tag%5B1%5D=y&done=true&user.id=7
                URLEncoding.queryString
                    done=1&q=a%20b/c?%26&tag%5B%5D=x&tag%5B%5D=y&user%5Bid%5D=7
                """)
    }

    @Test("A form may consist of text, bytes and files")
    func form() throws {
        var form = MultipartFormData()
        form.append("오늘의 점심", named: "title")
        form.append([0xff, 0xd8, 0xff], named: "photo", fileName: "lunch.jpg")
        let call = try sent(Call(task: .multipart(form)))
        let body = String(decoding: try call.body.collect(), as: UTF8.self)
        #expect(body.contains("name=\"title\"\r\n\r\n오늘의 점심\r\n"))
        #expect(body.contains("filename=\"lunch.jpg\"\r\nContent-Type: image/jpeg\r\n"))
    }

    @Test("A request is built from a base URL, a path and parameters")
    func requestOfParts() throws {
        let name = "a/b"
        let user = HTTPRequest(baseURL: "http://users.test/v1", path: "/users/\(name)")
        let search = HTTPRequest(url: "http://users.test/v1/users?order=name")
            .addQuery(["q": "a b", "page": 2])
        let upload = HTTPRequest(url: "http://users.test/v1/photos", method: .post)
            .setTask(.multipart(MultipartFormData([.text("lunch", name: "title")])))
        let client = RequestClient(transport: scripted.transport)
        #expect((Seen(client.rx.request(user)).error as? NetworkError)?.requestPart == .url)
        _ = Seen(client.rx.request(search))
        _ = Seen(client.rx.request(upload))
        #expect(scripted.transport.attempts.map(\.call.query) == ["order=name&q=a%20b&page=2", nil])
    }

    @Test("A request without a target is sent with its fields, body and timeout")
    func request() throws {
        let token = "t0"
        let client = RequestClient(transport: scripted.transport)
        let request = HTTPRequest(url: "http://places.test/daily/path")
            .setHttpMethod(.POST)
            .setContentType(.json)
            .setAuthToken(token)
            .setHeader("X-App", "diary/7")
            .setHttpBody(["user": "u1"])
            .setTimeout(.seconds(3))
        _ = Seen(client.rx.request(request))
        let call = try #require(scripted.transport.attempts.first?.call)
        #expect(call.fields[.authorization] == "Bearer t0")
        #expect(try String(decoding: call.body.collect(), as: UTF8.self) == #"{"user":"u1"}"#)
        #expect(call.timeout == .seconds(3))
    }
}
