import Dispatch
import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingSession
import NetworkingTesting
import Rx
import RxTesting
import Synchronization
import Testing

/// The code blocks of the article, verbatim.
@Suite("Types of the client by example", .noLeaks)
struct TypesByExampleTests {
    enum BookAPI: TargetType {
        case list
        case cover

        var baseURL: String { "http://books.test" }
        var path: RequestPath { self == .list ? "/books" : "/cover" }
        var sampleData: ArraySlice<UInt8> { Array("[1]".utf8)[...] }
    }

    struct APIKey: AuthenticationCredential {
        var key: String
    }

    struct KeyAuthenticator: Authenticator {
        let renew: @Sendable (APIKey) -> Single<APIKey>

        func apply(_ credential: APIKey, to request: HTTPRequest) -> HTTPRequest {
            request.setHeader("X-API-Key", credential.key)
        }

        func refresh(_ credential: APIKey) -> Single<APIKey> { renew(credential) }

        func isRequest(_ request: HTTPRequest, authenticatedWith credential: APIKey) -> Bool {
            request.headers["X-API-Key"] == credential.key
        }
    }

    @Test("An authenticator puts its key on the request")
    func authenticator() {
        let authenticator = KeyAuthenticator { .just(APIKey(key: $0.key + "2")) }
        let request = authenticator.apply(APIKey(key: "k"), to: HTTPRequest(url: "http://books.test/"))
        #expect(authenticator.isRequest(request, authenticatedWith: APIKey(key: "k")))
        #expect(!authenticator.isRequest(request, authenticatedWith: APIKey(key: "other")))
    }

    func isLoggedOut(_ error: NetworkError) -> Bool {
        error.underlying as? AuthenticationError == .missingCredential
    }

    @Test("A call without a credential fails with its own error")
    func loggedOut() {
        let scripted = Scripted(.json("[]"))
        let interceptor = AuthenticationInterceptor(
            KeyAuthenticator { .just($0) }, credential: nil)
        let books = Provider<BookAPI>(transport: scripted.transport, interceptor: interceptor)
        let failures = Log()
        _ = books.rx.request(.list).subscribe(onFailure: { error in
            failures.add((error as? NetworkError).map(isLoggedOut) == true)
        })
        #expect(failures.entries == [true])
    }

    @Test("Parameters have other forms")
    func parameters() {
        let encoding = ParameterEncoding.url(
            .queryString, lists: .indexed, booleans: .numeric, members: .dots, spaces: .plusReplaced)
        #expect(encoding != .query)
    }

    func filter(_ names: [String]) -> ParameterValue {
        .object(names.map { ParameterValue.Member(name: $0, value: .flag(true)) })
    }

    func photo(at path: String) throws -> RequestBody { .stream(try FileBody(path: path)) }

    func isOfParameters(_ error: NetworkError) -> Bool { error.requestPart == RequestPart.parameters }

    @Test("A missing file fails when its body is made")
    func files() {
        #expect(throws: FileBody.Failure.self) { try photo(at: "/no/such/photo.jpg") }
        #expect(filter(["new"]) == .object([.init(name: "new", value: .flag(true))]))
    }

    @Test("A provider answers with samples after a delay")
    func samples() {
        let scripted = Scripted(.json("[]"))
        let transport = scripted.transport
        let behavior: Provider<BookAPI>.StubClosure = { target in
            switch target {
            case .list: StubBehavior.delayed(.milliseconds(300))
            case .cover: .never
            }
        }
        let half: Jitter = { bound in bound / 2 }
        let books = Provider<BookAPI>(transport: transport, stub: behavior, jitter: half)
        let seen = Seen(books.rx.request(.list).mapString())
        #expect(seen.values.isEmpty)
        scripted.time.advance(by: .milliseconds(300))
        #expect(seen.values == ["[1]"])
        #expect(scripted.transport.attempts.isEmpty)
        #expect(half(.seconds(1)) == .milliseconds(500))
    }

    struct Numbers: BodySource {
        var length: Int64? { nil }

        func open() throws -> any BodyReader { NumberReader() }
    }

    final class NumberReader: BodyReader {
        private var next = 0

        func read(atMost count: Int) throws -> ArraySlice<UInt8> {
            guard next < 3 else { return [] }
            next += 1
            return Array("\(next)\n".utf8)[...]
        }
    }

    @Test("A body is made while it is read")
    func body() throws {
        let reader = try Numbers().open()
        var text = ""
        while true {
            let piece = try reader.read(atMost: 100)
            if piece.isEmpty { break }
            text += String(decoding: piece, as: UTF8.self)
        }
        #expect(text == "1\n2\n3\n")
        #expect(Numbers().length == nil)
    }

    final class CountingTransport: Transport {
        let inner: any Transport
        let attempts = Atomic(0)

        init(_ inner: any Transport) { self.inner = inner }

        var scheduler: any SchedulerType { inner.scheduler }

        func send(
            _ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver
        ) -> any Disposable {
            attempts.add(1, ordering: .relaxed)
            return inner.send(call, within: limit, for: receiver)
        }

        func beginRetry(to upstream: Upstream) -> RetryObstacle? { inner.beginRetry(to: upstream) }

        func endRetry(to upstream: Upstream) { inner.endRetry(to: upstream) }
    }

    @Test("A transport of one's own carries calls")
    func transport() {
        let scripted = Scripted(.json("[]"))
        let counting = CountingTransport(scripted.transport)
        let seen = Seen(Provider<BookAPI>(transport: counting).rx.request(.list).mapString())
        #expect(seen.values == ["[]"])
        #expect(counting.attempts.load(ordering: .relaxed) == 1)
    }

    func wrapped(_ book: JSONFragment) -> JSONFragment {
        var composer = JSONComposer()
        composer.beginObject()
        composer.key("book")
        composer.fragment(book)
        composer.endObject()
        return composer.fragment()
    }

    func title(of book: JSONFragment, at path: String) -> String {
        do {
            return try book.pick(JSONPointer(path)).stringValue ?? "not a text"
        } catch let error as JSONPointer.ParseError {
            return "not a pointer: \(error.pointer)"
        } catch let error as JSONShapeError {
            let reason: JSONShapeError.Reason = error.reason
            return reason == .missing ? "no title" : "another kind"
        } catch {
            return "\(error)"
        }
    }

    func isPath(_ text: String) -> Bool {
        do throws(JSONMemberPath.ParseError) {
            _ = try JSONMemberPath(text)
            return true
        } catch {
            return false
        }
    }

    func isUnreadable(_ error: NetworkError) -> Bool { error.underlying is StringMappingError }

    @Test("A transport that sends nothing fails every call")
    func nothing() {
        let unsent = Provider<BookAPI>(transport: UnsentTransport())
        let failures = Log()
        _ = unsent.rx.request(.list).subscribe(onFailure: { error in
            failures.add((error as? NetworkError)?.reason == .destinationUnavailable)
        })
        #expect(failures.entries == [true])
    }

    func signature(of request: HTTPRequest, _ hash: ([UInt8]) -> String) throws -> String? {
        do {
            return hash(Array(try request.body.collect(upTo: 1 << 20)))
        } catch is RequestBody.TooLong {
            return nil
        }
    }

    @Test("A body is signed up to a size")
    func signed() throws {
        func request(_ body: RequestBody) -> HTTPRequest {
            HTTPRequest(url: "http://books.test/", method: .post, body: body)
        }
        #expect(try signature(of: request(.stream(Endless()))) { "\($0.count)" } == nil)
        #expect(try signature(of: request(.bytes([1, 2, 3]))) { "\($0.count)" } == "3")
    }

    private struct Endless: BodySource {
        var length: Int64? { nil }

        func open() -> any BodyReader { Reader() }

        private final class Reader: BodyReader {
            func read(atMost count: Int) -> ArraySlice<UInt8> { Array(repeating: 1, count: count)[...] }
        }
    }

    @Test("JSON is composed, and paths are parsed")
    func json() throws {
        let book = try JSONFragment(parsing: #"{"title":"Dune"}"#)
        #expect(wrapped(book).description == #"{"book":{"title":"Dune"}}"#)
        #expect(title(of: book, at: "title") == "not a pointer: title")
        #expect(title(of: book, at: "/name") == "no title")
        #expect(title(of: book, at: "/title") == "Dune")
        #expect(isPath("seller.name"))
        #expect(!isPath("seller..name"))
    }

    @Test("Text in no known charset is unreadable")
    func unreadable() {
        let scripted = Scripted(.init(.response(200, body: [0xff, 0xfe] as [UInt8])))
        let failures = Log()
        let books = Provider<BookAPI>(transport: scripted.transport)
        _ = books.rx.request(.list).mapString().subscribe(onFailure: { error in
            failures.add((error as? NetworkError).map(isUnreadable) == true)
        })
        #expect(failures.entries == [true])
    }

    func settings(_ environment: [String: String]) throws -> ConnectionSettings {
        var settings = ConnectionSettings()
        settings.tls.verification = TLSConfiguration.Verification.full
        let expiries: TLSContext.Expiries = try TLSContext.shared(for: settings.tls).certificateExpiries
        if let client = expiries.client { print("the certificate expires at \(client)") }
        for warning in OutboundProxyEnvironment(environment).warnings { print(warning) }
        settings.proxy = .environment
        return settings
    }

    func clientCertificate(in folder: String) -> TLSConfiguration {
        var configuration = TLSConfiguration()
        configuration.minimumVersion = TLSConfiguration.Version.tls13
        configuration.identity = TLSConfiguration.Identity(
            certificateChain: .file("\(folder)/client.pem"), privateKey: .file("\(folder)/client.key"))
        return configuration
    }

    func isWrongHost(_ error: any Error) -> Bool { error is ConnectionSettings.InvalidHost }

    @Test("Settings have a verification and a proxy, and name a wrong host")
    func connections() throws {
        #expect(clientCertificate(in: "/etc/shop").minimumVersion == .tls13)
        let settings = try settings(["no_proxy": "books.test"])
        #expect(settings.tls.verification == .full)
        var wrong = Session.Configuration()
        wrong.connections.tlsByHost["not a host"] = TLSConfiguration()
        do {
            _ = try Session(wrong)
            Issue.record("the host is accepted")
        } catch {
            #expect(isWrongHost(error))
        }
    }
}

/// Collects what a closure reports.
private final class Log: Sendable {
    private let storage = Lock<[Bool]>([])

    var entries: [Bool] { storage.withLock { $0 } }

    func add(_ entry: Bool) { storage.withLock { $0.append(entry) } }
}
