import Foundation
import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import Networking
import Rx
import TestSupport
import Testing

@Suite("Tests of a gateway that serves a file")
struct FileTests {
    private let scratch = ScratchFolder()

    private struct API: TargetType {
        var baseURL: String { "http://127.0.0.1:1" }
        var path: RequestPath { "/streak" }
    }

    private func file(_ more: String = "") throws -> String {
        let path = scratch.file("sluice.yaml")
        let text = """
            version: 1
            listen: {port: 1}
            limits: {deadline: 2s}
            upstreams:
              diary: {url: "https://diary.internal/v1", timeouts: {total: 300ms}, retry: {attempts: 1}}
            endpoints:
            - get: /page
              parts:
                weights: {upstream: diary, get: /weights}
                tags: {upstream: diary, get: /tags, optional: true}
            \(more)
            """
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test(
        "Stubs take the place of the file's URLs, and the file's time limits apply",
        arguments: GatewayWorld.allCases)
    func stubs(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/weights").answer(json: "[1]")
        upstreams["diary"].on(.get, "/tags").answer(.hangs)
        upstreams["diary"].on(.get, "/streak").answer(.hangs)
        let declare: @Sendable (Gateway) throws -> Void = { gateway in
            let diary = gateway.provider(API.self, upstream: "diary")
            gateway.get("/streak") { _ in .parts(days: diary.rx.request(API()).fragment()) }
        }
        try await withGateway(world, file: file(), upstreams: upstreams, declare: declare) { client in
            let page = try await client.get("/page")
            #expect(page.status == .ok)
            #expect(try page.json[member: "code"]?.stringValue == "PARTIAL")
            let streak = try await client.get("/streak")
            #expect(streak.status == .gatewayTimeout)
            if world == .virtualTime {
                #expect(page.elapsed == .milliseconds(300))
                #expect(streak.elapsed == .milliseconds(300))
            }
        }
    }

    @Test("The problems of a file are thrown with their places")
    func problems() async throws {
        let path = try file("- get: /page\n  parts: {a: {value: 1}}")
        await #expect {
            try await withGateway(.virtualTime, file: path) { _ in }
        } throws: { error in
            "\(error)".contains("sluice.yaml:11:3: error: GET /page is declared twice; first at ")
        }
    }
}
