import Dispatch
import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import Networking
import Rx
import Testing

/// The calls of two upstreams.
enum DiaryAPI: TargetType {
    case weights(String, half: String?)
    case total
    case slow

    var baseURL: String { "http://diary.internal/food-diary" }

    var path: RequestPath {
        switch self {
        case .weights(let date, _): "/weights/\(date)"
        case .total: "/total"
        case .slow: "/slow"
        }
    }

    var task: RequestTask {
        guard case .weights(_, let half?) = self else { return .plain }
        return .parameters(["half": half], encoding: .query)
    }
}

enum OrdersAPI: TargetType {
    case create(item: Int)

    var baseURL: String { "http://orders.internal" }
    var path: RequestPath { "/orders" }
    var method: HTTPMethod { .post }

    var task: RequestTask {
        switch self {
        case .create(let item): .json(["item": item])
        }
    }
}

/// A gateway whose endpoints cover what the stubs can do.
@Sendable func declareShop(on gateway: Gateway) {
    // Without jitter, the times of retried calls are known.
    var policy = CallPolicy()
    policy.retry.backoff = .constant(.milliseconds(5))
    let diary = gateway.provider(DiaryAPI.self, upstream: "diary", policy: policy)
    let orders = gateway.provider(OrdersAPI.self, upstream: "orders", policy: policy)

    gateway.get("/weights/{date}") { request in
        let date = try request.path("date", as: String.self)
        let half = try request.query(ifPresent: "half", as: String.self)
        return .parts(weights: diary.rx.request(.weights(date, half: half)).fragment())
    }
    gateway.get("/total") { _ in .parts(total: diary.rx.request(.total).fragment()) }
    gateway.get("/async-total") { _ async throws -> Answer in
        .fragment(try await diary.rx.request(.total).fragment().value)
    }
    gateway.post("/orders") { request in
        let item = try request.json()[member: "item"]?.intValue ?? 0
        return .parts(order: orders.rx.request(.create(item: item)).fragment())
    }
    gateway.on(.patch, "/echo") { request in
        .raw(request.body, contentType: request.header(.contentType) ?? "text/plain")
    }
    gateway.get("/text") { _ in .text("hello") }
}

extension TestResponse {
    /// A member of the envelope's first error.
    func error(_ member: String) throws -> String? {
        let error = try json[member: "errors"]?[element: 0]?[member: member]
        return error?.stringValue ?? error?.description
    }

    func data() throws -> String? { try json[member: "data"]?.description }
}

/// Endpoints with short limits, so that time-outs are quick on sockets too.
@Sendable func declareImpatient(on gateway: Gateway) {
    var impatient = CallPolicy()
    impatient.attemptLimits.firstByte = .milliseconds(60)
    let diary = gateway.provider(DiaryAPI.self, upstream: "diary", policy: impatient)
    gateway.get("/impatient") { _ in .parts(slow: diary.rx.request(.slow).fragment()) }

    var hurried = CallPolicy()
    hurried.totalTimeout = .milliseconds(60)
    let hurriedDiary = gateway.provider(DiaryAPI.self, upstream: "diary", policy: hurried)
    gateway.get("/hurried") { _ in .parts(slow: hurriedDiary.rx.request(.slow).fragment()) }
}
