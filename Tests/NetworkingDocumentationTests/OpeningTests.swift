import Dispatch
import HTTPModel
import Networking
import NetworkingSession
import Rx
import RxTesting
import Testing

enum TagAPI: TargetType {
    case list
    case received(card: String)

    var baseURL: String { "http://127.0.0.1:8081" }

    var path: RequestPath {
        switch self {
        case .list: "/tags"
        case .received(let card): "/tags/received/\(card)"
        }
    }

    var envelope: ResponseEnvelope { .genericResponse }
}

struct Tag: Codable, Sendable {
    var name: String
    var icon: String
}

/// The code of the opening page, as it stands there.
@Suite("The opening page")
struct OpeningTests {
    static let tags =
        #"{"code":"OK","message":"success","status":200,"data":[{"name":"Diligent ant","icon":"🐜"},"#
        + #"{"name":"Kind whale","icon":"🐳"}]}"#

    private func served() throws -> Served {
        try Served([
            "GET /tags": Served.json(Self.tags),
            "GET /tags/received/none": Served.json(
                #"{"code":"NOT_FOUND","message":"there is no such card","status":404}"#, "404 Not Found"),
        ])
    }

    @Test("The first lines print what the page says")
    func first() async throws {
        let address = try served().address
        let output = Output()
        let print: (Any) -> Void = { output.print($0) }
        var policy = CallPolicy()
        policy.totalTimeout = .seconds(3)  // a call, all its attempts and the waits between them
        policy.attemptLimits = AttemptLimits(connect: .milliseconds(500), firstByte: .seconds(1))
        policy.retry.maxAttempts = 2  // of GET, PUT and DELETE; a POST is sent once
        let tags = try Provider<TagAPI>(upstream: "tags", baseURL: address, policy: policy)

        do {
            let list = try await tags.rx.request(.list).map([Tag].self).value
            print(list.map(\.name).joined(separator: ", "))
            _ = try await tags.rx.request(.received(card: "none")).map([Tag].self).value
        } catch let error as NetworkError {
            print(error)
            print(error.upstreamMessage ?? error.message)
        }
        #expect(
            output.text == """
                Diligent ant, Kind whale
                tags GET /tags/received/none: requestErr upstream_status: it answered with status 404 (attempts 1)
                there is no such card
                """)
    }

    @Test("Every outcome is a value")
    func outcome() async throws {
        let scripted = Scripted(
            .json(Self.tags), .response(204), .response(400, body: #"{"status":400,"message":"bad"}"#),
            .json("<html>"), .failure(.dnsError))
        let tags = Provider<TagAPI>(transport: scripted.transport)
        let output = Output()
        let print: (Any) -> Void = { output.print($0) }
        for _ in 0..<5 {
            switch try await tags.rx.request(.list).map([Tag].self).asNetworkResult().value {
            case .success(let list): print("\(list.count) tags")
            case .noContent: print("no tags yet")
            case .requestErr(let error): print(error.upstreamMessage ?? error.message)
            case .pathErr, .serverErr: print("try again later")
            case .networkFail(let error): print(error.reason)
            }
        }
        #expect(output.lines == ["2 tags", "no tags yet", "bad", "try again later", "dns_error"])
    }

    @Test("A screen asks again with each pull, and the last one counts")
    func screen() {
        let scripted = Scripted(.json(Self.tags, after: .seconds(1)))
        let tags = Provider<TagAPI>(transport: scripted.transport)
        let pulled = PublishSubject<Void>()
        let screen = pulled.flatMapLatest {
            tags.rx.request(.list).map([Tag].self).asNetworkResult()
        }
        let seen = Seen(screen)
        pulled.onNext(())
        pulled.onNext(())
        #expect(scripted.transport.attempts.map(\.isCancelled) == [true, false])
        scripted.time.advance(by: .seconds(1))
        #expect(seen.values.map { $0.value?.count } == [2])
    }
}
