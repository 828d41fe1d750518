import Dispatch
import Foundation
import Networking
import NetworkingCompatibility
import NetworkingTesting
import Rx
import Testing

@Suite("Failures as NSError")
struct NSErrorTests {
    private struct Call: TargetType {
        var baseURL: String { "http://users.test" }
        var path: RequestPath { "/users/GREEN" }
    }

    private func error(_ answer: StubTransport.Answer) async throws -> NetworkError {
        let transport = StubTransport(scheduler: ManualScheduler())
        transport.answer(answer)
        var policy = CallPolicy()
        policy.retry = .never
        let provider = try Provider<Call>(upstream: "users", transport: transport, policy: policy)
        let error = await #expect(throws: NetworkError.self) {
            _ = try await provider.rx.request(Call()).map([String: String].self).value
        }
        return try #require(error)
    }

    @Test("An NSError has the status as its code and the underlying error under NSUnderlyingErrorKey")
    func nested() async throws {
        let failure = try await error(.failure(.connectionRefused))
        let nsError = failure as NSError
        #expect(nsError.domain == "Sluice.NetworkError")
        #expect(nsError.code == 0)
        #expect(nsError.userInfo["reason"] as? String == "connection_refused")
        #expect(nsError.userInfo["path"] as? String == "/users/GREEN")
        let beneath = try #require(nsError.userInfo[NSUnderlyingErrorKey] as? any Error)
        #expect((beneath as NSError).domain == "Sluice.TransportError")
        #expect(failure.localizedDescription == "the connection was refused")

        let refused = try await error(.response(503)) as NSError
        #expect(refused.code == 503)
        #expect((refused.userInfo["response"] as? Response)?.statusCode == 503)
        #expect(refused.userInfo[NSUnderlyingErrorKey] == nil)
    }

    @Test("A RouterManagerError as NSError has the name of its code, its user info and the decoder's error")
    func router() async throws {
        let router = try await error(.json(#"{"name":1}"#)).routerManagerError
        #expect(router.errorCode == 2)
        #expect(
            router.errorUserInfo["identifier"] as? String
                == "NetworkingCompatibility.RouterManagerError.Code.decodeFailed"
        )
        #expect(router.errorUserInfo["upstream"] as? String == "users")
        #expect(router.errorUserInfo[NSUnderlyingErrorKey] is DecodingError)
        #expect((router as NSError).domain == "RouterManagerError")
        let moya = try await error(.response(404)).moyaError
        #expect((moya as NSError).code == 404)
        #expect((moya as NSError).userInfo["response"] is Response)
    }

    private struct ServiceError: NestedError, CustomNSError {
        let underlying: (any Error)?
        var errorUserInfo: [String: Any] { underlying.map { [NSUnderlyingErrorKey: $0] } ?? [:] }
    }

    @Test("A custom error can nest a failure, and its chain of errors reaches the first cause")
    func ownErrors() async throws {
        let own = ServiceError(underlying: try await error(.failure(.dnsError)).routerManagerError)
        let chain = own.underlyingErrors
        #expect(chain.count == 2)
        #expect(chain[0] is RouterManagerError)
        #expect((chain[1] as? TransportError)?.reason == .dnsError)
        let router = try #require((own as NSError).userInfo[NSUnderlyingErrorKey] as? any Error)
        #expect((router as NSError).userInfo[NSUnderlyingErrorKey] is TransportError)
    }
}
