import Dispatch
import HTTPModel
import Networking
import NetworkingSession
import NetworkingTesting
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

/// Contains the code of the opening page verbatim.
@Suite("Opening page")
struct OpeningTests {
    /// The responses of `sluice upstream`.
    static let tags =
        #"{"code":"OK","message":"success","status":200,"data":["#
        + #"{"tagId":1,"name":"성실한 개미","nameEn":"Diligent ant","icon":"🐜"},"#
        + #"{"tagId":2,"name":"따뜻한 난로","nameEn":"Warm stove","icon":"🔥"},"#
        + #"{"tagId":3,"name":"빛나는 아이디어","nameEn":"Shining idea","icon":"💡"},"#
        + #"{"tagId":4,"name":"든든한 나무","nameEn":"Steady tree","icon":"🌳"},"#
        + #"{"tagId":5,"name":"유쾌한 돌고래","nameEn":"Cheerful dolphin","icon":"🐬"},"#
        + #"{"tagId":6,"name":"차분한 바다","nameEn":"Calm sea","icon":"🌊"},"#
        + #"{"tagId":7,"name":"빠른 치타","nameEn":"Swift cheetah","icon":"🐆"},"#
        + #"{"tagId":8,"name":"다정한 고양이","nameEn":"Kind cat","icon":"🐱"}]}"#

    private func served() throws -> Served {
        let refused =
            #"{"code":"INVALID_REQUEST","message":"the card must be a UUID","status":400,"data":null}"#
        return try Served([
            "GET /tags": Served.json(Self.tags),
            "GET /tags/received/none": Served.json(refused, "400 Bad Request"),
        ])
    }

    @Test("The first example prints the lines on the page")
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
                성실한 개미, 따뜻한 난로, 빛나는 아이디어, 든든한 나무, 유쾌한 돌고래, 차분한 바다, 빠른 치타, 다정한 고양이
                tags GET /tags/received/none: requestErr upstream_status: the upstream answered with status 400 (attempts 1)
                the card must be a UUID
                """)
    }

    @Test("asNetworkResult turns every outcome into a value")
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
        #expect(output.lines == ["8 tags", "no tags yet", "bad", "try again later", "dns_error"])
    }

    @Test("Each pull on a screen starts a new call and cancels the previous one")
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
        #expect(seen.values.map { $0.value?.count } == [8])
    }
}
