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

enum NetworkAPI {
    case getUser(name: String)
}

extension NetworkAPI: TargetType {
    var baseURL: String { "http://users.test" }
    var path: RequestPath {
        switch self {
        case .getUser(let name): "/\(name)"
        }
    }
}

struct User: Decodable, Equatable, Sendable {
    var name: String
    var level: Int
}

struct UserService: Sendable {
    let fetchUser: @Sendable (_ name: String) -> Observable<User>
}

extension UserService {
    static let live = UserService.over(Provider<NetworkAPI>())

    static func over(_ provider: Provider<NetworkAPI>) -> UserService {
        UserService(fetchUser: { name in
            provider.rx.request(.getUser(name: name))
                .map(User.self, atKeyPath: "user")
                .catch { error in throw (error as? NetworkError)?.routerManagerError ?? error }
                .asObservable()
        })
    }
}

struct NewUser: Encodable, Sendable { var nickName: String }

enum AccountsRouter: TargetType {
    case plain
    case json(NewUser)
    case customJSON(NewUser, encoder: JSONEncoder)
    case search(Parameters, encoding: ParameterEncoding)

    var baseURL: String { "http://users.test" }
    var path: RequestPath { "/accounts" }
    var method: HTTPMethod { .post }
    var task: RequestTask {
        switch self {
        case .plain: .requestPlain
        case .json(let user): .requestJSONEncodable(user)
        case .customJSON(let user, let encoder): .requestCustomJSONEncodable(user, encoder: encoder)
        case .search(let parameters, let encoding):
            .requestParameters(parameters: parameters, encoding: encoding)
        }
    }
}

/// Contains the code of the article verbatim.
@Suite("A router and its manager")
struct RouterManagerTests {
    @Test("A user is fetched over real connections")
    func fetch() async throws {
        let served = try Served(["GET /GREEN": Served.json(#"{"user":{"name":"GREEN","level":42}}"#)])
        let provider = try Provider<NetworkAPI>(upstream: "users", baseURL: served.address)
        let userService = UserService.over(provider)
        let output = Output()
        let print: @Sendable (String) -> Void = { output.print($0) }
        let level = userService.fetchUser("GREEN").map { user in user.level }
        print("\(try await level.asSingle().value)")
        #expect(output.lines == ["42"])
    }

    @Test("The error for a failing status has a code, user info and the body of the response")
    func refusal() throws {
        struct Refusal: Decodable, Sendable { var reason: String }
        let scripted = Scripted(.response(404, body: #"{"reason":"no such user"}"#))
        let userService = UserService.over(Provider<NetworkAPI>(transport: scripted.transport))
        let error = try #require(Seen(userService.fetchUser("RED")).error as? RouterManagerError)
        let output = Output()
        let print: (Any...) -> Void = { output.print($0.map { "\($0)" }.joined(separator: " ")) }
        print(error.code, error.userInfo["path"] ?? "", error.userInfo["statusCode"] ?? "")
        print(error.errorBody(as: Refusal.self)?.reason ?? "no such body")
        print(error.underlyingErrors.count)
        #expect(
            output.text == """
                isNotSuccessful /RED 404
                no such user
                0
                """)
    }

    @Test("Decoding and connection failures keep their underlying errors")
    func beneath() throws {
        for (answer, code) in [
            (StubTransport.Answer.json(#"{"user":{"name":1}}"#), RouterManagerError.Code.decodeFailed),
            (.failure(.connectionRefused), .failedRequest),
        ] {
            let scripted = Scripted(answer)
            let seen = Seen(
                UserService.over(Provider<NetworkAPI>(transport: scripted.transport)).fetchUser("RED"))
            scripted.time.advance(by: .seconds(1))
            let error = try #require(seen.error as? RouterManagerError)
            #expect(error.code == code)
            #expect(error.underlyingErrors.count == 1)
        }
    }

    @Test("Each of the four tasks is sent with its body")
    func tasks() throws {
        let scripted = Scripted(.response(200))
        let provider = Provider<AccountsRouter>(transport: scripted.transport)
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        for target in [
            AccountsRouter.plain, .json(NewUser(nickName: "G")),
            .customJSON(NewUser(nickName: "G"), encoder: encoder),
            .search(["q": "a b"], encoding: URLEncoding.default),
        ] {
            _ = Seen(provider.rx.request(target))
        }
        let bodies = try scripted.transport.attempts.map {
            String(decoding: try $0.call.body.collect(), as: UTF8.self)
        }
        #expect(bodies == ["", #"{"nickName":"G"}"#, #"{"nick_name":"G"}"#, "q=a%20b"])
    }

    @Test("A test can replace the service with a value")
    func standIn() async throws {
        let userService = UserService(fetchUser: { name in .just(User(name: name, level: 1)) })
        #expect(try await userService.fetchUser("GREEN").asSingle().value == User(name: "GREEN", level: 1))
    }
}
