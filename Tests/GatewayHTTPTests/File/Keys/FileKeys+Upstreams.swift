import EventIO
import Foundation
import GatewayTesting
import HTTPModel
import HTTPOutbound
import Networking
import Resilience
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayHTTP

extension FileKeys {
    static let upstreams: [KeyExample] = [
        KeyExample.upstream("upstream.url", "url: \"http://a/v1\"") {
            #expect($0.configuration.upstreams == ["api": "http://a/v1"])
        },
        KeyExample.upstream("upstream.urls", "urls: [\"http://a\", \"http://b\"]") {
            #expect($0.configuration.upstreams == ["api": ["http://a", "http://b"]])
        },
        KeyExample.upstream("upstream.envelope", "envelope: generic") { bench async throws in
            bench.answers = ["/a": .json(#"{"code":"OK","message":"","status":200,"data":7}"#)]
            #expect(try await bench.ask("/x").data == "7")
        },
        KeyExample.upstream(
            "envelope.status envelope.data envelope.message envelope.success",
            "envelope: {status: /code, data: /body, message: /text, success: [\"00\"]}"
        ) { bench async throws in
            bench.answers = ["/a": .json(#"{"code":"00","body":7}"#)]
            #expect(try await bench.ask("/x").data == "7")
            bench.answers = ["/a": .json(#"{"code":"12","text":"closed"}"#)]
            #expect(try await bench.ask("/x").status == .badGateway)
        },
        KeyExample.upstream(
            "envelope.success", "envelope: {status: /code, data: /body, success: [\"0\"]}"
        ) { bench async throws in
            bench.answers = ["/a": .json(#"{"code":0,"body":7}"#)]
            #expect(try await bench.ask("/x").data == "7")
        },
        KeyExample.upstream("upstream.headers", "headers: {X-Key: k}") { bench async throws in
            _ = try await bench.ask("/x")
            #expect(bench.calls[0].fields["X-Key"] == "k")
        },
        KeyExample.upstream("upstream.forwardClient", "forwardClient: x-forwarded") { bench async throws in
            _ = try await bench.ask("/x")
            #expect(bench.calls[0].fields[.xForwardedProto] == "http")
        },
        KeyExample.upstream("upstream.timeouts timeouts.total", "timeouts: {total: 2s}") {
            bench async throws in
            bench.answers = ["/a": .hangs]
            #expect(try await bench.ask("/x").elapsed == .seconds(2))
        },
        KeyExample.upstream("timeouts.firstByte", "timeouts: {firstByte: 1s}") { bench async throws in
            bench.answers = ["/a": .hangs]
            let reply = try await bench.ask("/x")
            #expect(reply.elapsed == .seconds(1))
            #expect(try reply.text(at: "/errors/0/reason") == #""connection_read_timeout""#)
        },
        KeyExample.upstream("timeouts.connect timeouts.between", "timeouts: {connect: 2s, between: 3s}") {
            bench async throws in
            let limits = bench.upstream.callPolicy.attemptLimits
            #expect(limits.connect == .seconds(2))
            #expect(limits.firstByte == .seconds(5))
            #expect(limits.between == .seconds(3))
        },
        KeyExample.upstream("upstream.retry retry.attempts", "retry: {attempts: 2}") { bench async throws in
            bench.answers = ["/a": .status(.serviceUnavailable)]
            #expect(try await bench.ask("/x").status == .serviceUnavailable)
            #expect(bench.calls.count == 2)
            bench.answers = ["/a": .status(.internalServerError)]
            #expect(try await bench.ask("/x").status == .badGateway)
            #expect(bench.calls.count == 1)
        },
        KeyExample.upstream("retry.base retry.cap", "retry: {base: 20ms, cap: 2s}") { bench async throws in
            #expect(
                bench.upstream.callPolicy.retry.backoff
                    == .exponential(base: .milliseconds(20), cap: .seconds(2), jitter: .full))
        },
        KeyExample.upstream(
            "upstream.limits upstreamLimits.connections upstreamLimits.wait upstreamLimits.body upstreamLimits.passThrough",
            "limits: {connections: 7, wait: 2s, body: 1MiB, passThrough: 0.25}"
        ) { bench async throws in
            let limits = try #require(bench.configuration.connections.limitsByUpstream["api"])
            #expect(limits.connectionsPerUpstream == 7)
            #expect(limits.waitTimeout == .seconds(2))
            #expect(limits.responseBody == 1 << 20)
            #expect(limits.relayShare == 0.25)
        },
        KeyExample.upstream(
            "upstreamLimits.headerBlock upstreamLimits.headerCount upstreamLimits.idle",
            "limits: {headerBlock: 64KiB, headerCount: 200, idle: 5s}"
        ) { bench async throws in
            let limits = try #require(bench.configuration.connections.limitsByUpstream["api"])
            #expect(limits.responseHead == 64 << 10)
            #expect(limits.responseFields == 200)
            #expect(limits.idleTimeout == .seconds(5))
        },
        KeyExample.upstream("upstream.emptyBody", "emptyBody: true") { bench async throws in
            bench.answers = ["/a": .status(.ok)]
            let reply = try await bench.ask("/x")
            #expect(reply.status == .ok)
            #expect(try reply.data == "null")
        },
        KeyExample.upstream(
            "upstream.tls tls.pins tls.serverName tls.minimum tls.verify",
            "url: \"https://api\", tls: {pins: [sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=], serverName: name, "
                + "minimum: \"1.3\", verify: none}"
        ) { bench async throws in
            let tls = try #require(bench.configuration.connections.tlsByUpstream["api"])
            #expect(tls.pins == ["sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="])
            #expect(tls.serverName == "name")
            #expect(tls.minimumVersion == .tls13)
            #expect(tls.verification == .insecureNone)
        },
        certificates,
        KeyExample.upstream("upstream.concurrency", "concurrency: 7") {
            #expect($0.protection.concurrency == 7)
        },
        KeyExample.upstream(
            "upstream.breaker breaker.window breaker.minimumCalls breaker.failureRate breaker.open breaker.maxOpen "
                + "breaker.probes",
            "breaker: {window: 2s, minimumCalls: 3, failureRate: 0.4, open: 5s, maxOpen: 6s, probes: 7}"
        ) { bench async throws in
            let breaker = try #require(bench.protection.breaker)
            #expect(breaker.window == .seconds(2))
            #expect(breaker.minimumCalls == 3)
            #expect(breaker.failureRate == 0.4)
            #expect(breaker.open == .seconds(5))
            #expect(breaker.maxOpen == .seconds(6))
            #expect(breaker.probes == 7)
        },
        KeyExample.upstream(
            "upstream.ejection ejection.consecutive ejection.base ejection.max ejection.maxShare",
            "ejection: {consecutive: 2, base: 3s, max: 4s, maxShare: 0.3}"
        ) { bench async throws in
            let ejection = try #require(bench.protection.ejection)
            #expect(ejection.consecutive == 2)
            #expect(ejection.base == .seconds(3))
            #expect(ejection.max == .seconds(4))
            #expect(ejection.maxShare == 0.3)
        },
        KeyExample.upstream("upstream.slowStart", "slowStart: off") {
            #expect($0.protection.slowStart == nil)
        },
        KeyExample.upstream(
            "upstream.health health.path health.interval health.timeout health.unhealthy health.healthy",
            "health: {path: /up, interval: 2s, timeout: 3s, unhealthy: 4, healthy: 5}"
        ) { bench async throws in
            let health = try #require(bench.protection.health)
            #expect(health.path == "/up")
            #expect(health.interval == .seconds(2))
            #expect(health.timeout == .seconds(3))
            #expect(health.unhealthy == 4)
            #expect(health.healthy == 5)
        },
        KeyExample.upstream(
            "upstream.dns dns.minTTL dns.maxTTL dns.stale dns.servers",
            "dns: {minTTL: 2s, maxTTL: 3s, stale: 4s, servers: [127.0.0.1]}"
        ) { bench async throws in
            let dns = try #require(bench.configuration.connections.dnsByUpstream["api"])
            #expect(dns.minTTL == .seconds(2))
            #expect(dns.maxTTL == .seconds(3))
            #expect(dns.stale == .seconds(4))
            #expect(dns.servers == ["127.0.0.1"])
        },
        KeyExample.upstream("upstream.compression", "compression: never") {
            #expect($0.protection.compression == .never)
        },
    ]

    /// Has real files, because certificates are read when the file is checked.
    private static var certificates: KeyExample {
        let folder = ScratchFolder()
        let identity = TestAuthority.shared.issue("DNS:api")
        let texts = [
            "ca.pem": TestAuthority.shared.pem, "cert.pem": identity.certificate, "key.pem": identity.key,
        ]
        for (name, text) in texts {
            try? text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        }
        return .upstream(
            "tls.ca tls.cert tls.key",
            "url: \"https://api\", tls: {ca: \"\(folder.file("ca.pem"))\", cert: \"\(folder.file("cert.pem"))\", "
                + "key: \"\(folder.file("key.pem"))\"}"
        ) { bench async throws in
            let tls = try #require(bench.configuration.connections.tlsByUpstream["api"])
            #expect(tls.trust == .authorities(.file(folder.file("ca.pem"))))
            #expect(tls.identity?.certificateChain == .file(folder.file("cert.pem")))
            #expect(tls.identity?.privateKey == .file(folder.file("key.pem")))
        }
    }
}
