import AccessControl
import EndpointPlans
import EventIO
import Foundation
import GatewayConfig
import JSONBytes
import JSONSchema
import Rx
import SharedStore
import Testing

@testable import ContentCoding
@testable import EventIO
@testable import GatewayCore
@testable import GatewayHTTP
@testable import HTTPInbound
@testable import HTTPModel
@testable import HTTPOutbound
@testable import HTTPWire
@testable import Networking
@testable import NetworkingSession

/// Compares the documentation's table of limits with the code.
@Suite("The table of limits")
struct LimitsTableTests {
    /// A row: `inbound.target`, `bytes`, `8 KiB`, `414`.
    struct Row: Equatable {
        let name: String
        let unit: String
        let value: String
        let beyond: String
    }

    private static let article =
        URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/GatewayCore/GatewayCore.docc/Limits.md")

    private static func rows() throws -> [Row] {
        try rows(of: String(contentsOf: article, encoding: .utf8))
    }

    private static func rows(of text: String) -> [Row] {
        text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            return Row(
                name: cells[1].replacing("`", with: ""), unit: cells[2], value: cells[3],
                beyond: cells.count > 4 ? cells[4] : "")
        }
    }

    // MARK: Limits of the code

    /// The structures of limits. Reflection reads them, so a new property without a row is found.
    private static var structures: [(String, Any)] {
        [
            ("inbound", InboundLimits()), ("outbound", OutboundLimits()), ("limits", GatewayLimits()),
            ("policy", CallPolicy()), ("upstream", checkedUpstream), ("retryBudget", RetryBudget()),
            ("files", StaticFiles.folder("/")),
            ("multipart", MultipartLimits()), ("compression", CompressionSettings()),
            ("dns", DNSSettings()), ("resolver", DNSSettings().limits), ("cookies", CookieJar.Limits()),
            ("refreshes", AuthenticationInterceptor<BearerAuthenticator>.RefreshWindow()),
        ]
    }

    /// The default policy, with the checks that are off by default.
    private static var checkedUpstream: UpstreamPolicy {
        var policy = UpstreamPolicy()
        policy.health = HealthCheckPolicy(path: "/")
        return policy
    }

    /// Limits outside these structures: constants and two durations of the configuration.
    private static var constants: [String: Any] {
        [
            "drainDelay": GatewayServerConfiguration().drainDelay,
            "drainDeadline": GatewayServerConfiguration().drainDeadline,
            "lifecycle.start": GatewayLifecycle.startLimit, "lifecycle.end": GatewayLifecycle.endLimit,
            "lifecycle.job": GatewayLifecycle.jobLimit,
            "shared.load": Gateway.sharedLoadLimit, "shared.values": Gateway.mostSharedValues,
            "shared.forgotten": SharedTable<Int, Int>.mostForgotten,
            "upstreamBodies": GatewayServerConfiguration.mostUpstreamBodies,
            "upstream.urls": UpstreamAddress.maximum,
            "upstream.addresses": ClusterSite.mostAddresses,
            "upstreamBodies.counted": ResponseBody.chargedSize,
            "takeover.attempts": GatewayServer.bindAttempts,
            "takeover.answer": HealthProbe.occupantTimeout,
            "takeover.retry": AdminWorker.retryInterval, "admin.patience": LoopPatience.limit,
            "drain.handshakes": Worker.handshakeTime,
            "clients.networks": TrustedProxies.mostNetworks, "clients.hops": TrustedProxies.mostHops,
            "clients.element": ForwardedElements.longest,
            "clients.proxyLine": ProxyHeaderParser.longestLine,
            "clients.proxyRest": ProxyHeaderParser.longestRest,
            "health.probe": HealthProbe.checkTimeout,
            "memory.quiet": MemoryReturn.quiet,
            "memory.turn": MemoryReturn.turn,
            "loop.standstill": EventLoop.standstill,
            "loop.longStandstill": EventLoop.longStandstill,
            "descriptors.spare": Int(Descriptor.spare), "descriptors.files": InboundLimits.fileShare,
            "connections.evictionPrecision": EvictionOrder.precision,
            "connections.headPatience": EvictionOrder.headPatience,
            "handshakes.patience": UnfinishedHandshakes.patience,
            "connections.headPatienceAboveLimit": EvictionOrder.headPatienceAboveLimit,
            "listener.batch": Listener.batch,
            "listener.smallBatch": Listener.smallBatch,
            "listener.longWake": Listener.longWake,
            "listener.unsent": Int(Listener.unsentLimit),
            "parser.method": RequestHeadScanner.methodLimit,
            "parser.fieldName": HTTPFieldName.maximumLength,
            "parser.chunkSizeDigits": ChunkLimits.sizeDigits,
            "parser.chunkExtensionLine": ChunkLimits.extensionBytesPerLine,
            "parser.chunkExtensions": ChunkLimits.extensionBytesPerMessage,
            "parser.statusLine": ResponseLimits().statusLine,
            "decoding.codings": ContentCoding.maximumCount,
            "decoding.tail": DecodingLimits().tail,
            "decoding.free": DecodingLimits().freeSize,
            "calls.target": TargetRules.maximumLength,
            "calls.baseURLs": ProviderSettings.keptBaseURLs,
            "calls.upload": OutboundBodyWriter.queueLimit,
            "calls.stream": StreamBuffer<TransportResponse>.highWatermark,
            "calls.download": FileSink.finishTimeout,
            "calls.pipe": FileBody.silence,
            "cookies.bytes": Cookie.maximumBytes,
            "cookies.attributeBytes": Cookie.maximumAttributeBytes,
            "files.findings": LoopFiles.findings,
            "files.turn": FileSender.turn, "files.patience": FileSender.patience,
            "streams.heartbeat": RecordStream.standardHeartbeat,
            "streams.shortestHeartbeat": RecordStream.shortestHeartbeat,
            "streams.headWait": RecordStream.headWait,
            "streams.waiting": Answer.pieceLimit, "streams.waitingRecords": Answer.recordLimit,
            "compression.whole": AnswerCompressor.whole,
            "compression.slice": AnswerCompressor.slice,
            "proxy.requestBody": ProxyLimits.requestBody.map { $0 as Any } ?? "none",
            "proxy.wholeResponse": PassedResponse.whole,
            "proxy.replaceable": PassedResponse.replaceable, "proxy.headWait": PassedResponse.headWait,
            "file.value": PlannedEndpoint.standardLargestValue,
            "file.requests": PlannedEndpoint.standardLargestValue,
            "file.text": CallTemplate.longestText,
            "file.patterns": SchemaBounds().patternTime,
            "schema.documents": SchemaBounds().documents, "schema.nodes": SchemaBounds().nodes,
            "schema.pattern": SchemaBounds().pattern, "schema.values": SchemaBounds().values,
            "schema.work": SchemaBounds().mostWork,
            "request.brotli": CodedBody.mostBrotli,
            "request.decodingRatio": DecodingLimits().ratio ?? 0,
            "form.fields": FormFields.maximumCount,
            "multipart.boundary": MultipartLimits.boundary,
            "tracestate.members": TraceState.maximumMembers,
            "tracestate.bytes": TraceState.maximumBytes,
            "timeline.entries": Timeline.limit,
            "decoding.encoded": DecodingLimits.encodedSize(of: OutboundLimits().responseBody),
            "log.fields": LoggedFields.most, "log.value": RecordLines.longestValue,
            "log.timeline": TimelineText.mostAttempts,
            "traces.waiting": Tracer.mostSpans, "traces.batch": Tracer.batchSpans,
            "traces.interval": Tracer.interval, "traces.retries": TraceExporter.mostRetries,
            "traces.flush": Tracing.patience,
            "records.kept": KeptRecords.count, "records.line": KeptRecords.longestLine,
            "records.repeats": KeptRecords.repeatTime, "events.clients": AdminEvents.mostClients,
            "explain.body": AdminExchange.explainedBody,
            "log.calls": AttemptLog.callLimit, "log.attempts": AttemptLog.attemptLimit,
            "dns.servers": DNSSettings.mostServers,
            "resolver.resolutionDelay": FamilyAnswers.resolutionDelay,
            "tls.clientHello": ClientHelloSize.largest,
            "tls.empty": TLSEngine.emptyLimit,
            "tls.emptyOfClients": TLSEngine.emptyLimitOfClients,
            "tls.servers": TLSSessionCache.serverLimit,
            "tls.sessions": TLSSessionCache.sessionLimit,
            "tls.files": TLSPEMText.largest,
            "loop.turn": LoopTurn.length,
            "loop.work": LoopTurn.workLength,
            "loop.blocked": BlockWatch.limit,
            "work.threads": WorkThreads.threads,
            "work.background": WorkThreads.backgroundThreads,
            "work.handlers": WorkThreads.handlerThreads,
            "work.waiting": WorkThreads.waiting,
            "work.waitingResponses": WorkThreads.waitingResponses,
            "work.response": LargeBody.smallest,
            "work.body": EndpointPlan.longestBodyOnLoop,
            "decoding.turn": ResponseReader.decodedPerTurn,
            "decoding.between": BodyDecoder.mostBetween,
            "files.threads": FileThreads.threads,
            "files.waiting": FileThreads.waiting,
            "files.pipes": FileThreads.pipeThreads,
            "files.whole": FolderFiles.wholeBytes,
            "files.path": FilePath.mostBytes,
            "files.name": FilePath.mostBytesOfName,
            "spool.threads": SpoolFile.writerThreads,
            "spool.waiting": SpoolFile.waitingFiles,
            "reload.watch": Reloads.watchInterval,
            "reload.looks": FileWatch.mostLooks,
            "reload.problems": GatewayReloadError.mostLines,
            "reload.names": UpstreamProtections.mostNames,
            "log.channel": LogWriter.Limits.channelBytes,
            "log.close": Duration.seconds(LogWriter.Limits.closeDeadline.seconds),
        ]
    }

    /// Limits of who may call, and how often.
    private static var access: [String: Any] {
        let tokens = TokenSettings(keys: .file(""), algorithms: [], issuer: "", audience: [])
        let authorizer = AuthorizerSettings(upstream: "", get: "")
        let limit = RateLimit(key: [.client], rate: 1, per: .seconds(1))
        return [
            "auth.entries": AccessDeclarations.mostEntries, "auth.claim": Claims.maxTextLength,
            "apiKeys.lines": APIKeyTable.maxLines, "apiKeys.line": APIKeyTable.maxLineLength,
            "tokens.bytes": UnverifiedToken.maxLength, "tokens.levels": UnverifiedToken.maxDepth,
            "tokens.leeway": tokens.leeway, "tokens.tries": TokenVerifier.mostTries,
            "tokens.kept": VerifiedTokens<Int>().capacity,
            "tokens.age": Duration.seconds(VerifiedTokens<Int>.maxAge),
            "keySets.bytes": KeySet.maxLength, "keySets.keys": KeySet.maxKeys,
            "keySets.pause": KeyFetches.Limits.pause, "keySets.patience": KeyFetches.Limits.patience,
            "keySets.waiting": KeyFetches.Limits.waiting,
            "keySets.waitingShare": KeyFetches.Limits.waitingShare,
            "keySets.longestUse": Duration.nanoseconds(KeyFetches.Limits.longestUse),
            "authorize.timeout": authorizer.timeout,
            "authorize.claims": AuthorizerAnswer.largestClaims,
            "rateLimits.names": RateLimit.Ranges.mostLimits, "rateLimits.keys": limit.maxKeys,
            "stores.timeout": RedisStore("").timeout, "stores.waiting": StoreConnection.mostWaiting,
        ]
    }

    /// Numbers that are not limits.
    private static let others: Set<String> = [
        // Counters.
        "retryBudget.callsInFlight", "retryBudget.retriesInFlight",
        // Not set by default, and no number.
        "upstream.forwardClient",
        // How long a browser caches a file.
        "files.maxAge",
    ]

    private static func inCode() -> [String: Any] {
        var limits = constants.merging(access) { first, _ in first }
        for (name, structure) in structures { add(structure, named: name, to: &limits) }
        // The settings of DNS contain the limits of the resolver, which have rows of their own.
        return limits.filter { !others.contains($0.key) && !$0.key.hasPrefix("dns.limits.") }
    }

    /// Adds numbers and times, also from nested structures.
    private static func add(_ value: Any, named name: String, to limits: inout [String: Any]) {
        switch value {
        case is Int, is Double, is Duration, is TimeAmount: limits[name] = value
        case is Bool, is String: break
        case let backoff as Backoff:
            for child in Mirror(reflecting: backoff).children {
                guard let nanoseconds = child.value as? Int64, let label = child.label else { continue }
                limits["\(name).\(label)"] = Duration.nanoseconds(nanoseconds)
            }
        default:
            let mirror = Mirror(reflecting: value)
            switch mirror.displayStyle {
            case .optional where value is Int? || value is Duration?:
                limits[name] = mirror.children.first?.value ?? "none"
            case .optional:
                if let child = mirror.children.first { add(child.value, named: name, to: &limits) }
            case .struct where !(value is Set<String>):
                for child in mirror.children {
                    if let label = child.label { add(child.value, named: "\(name).\(label)", to: &limits) }
                }
            default: break
            }
        }
    }

    // MARK: Notation

    private static func text(of value: Any, in unit: String) -> String? {
        switch (value, unit) {
        case (let number as Int, "bytes"): bytes(number)
        case (let number as Int, "count"): grouped(number)
        case (let number as Int, "bytes a second"): "\(number) B/s"
        case (let number as Int, "percent"): "\(number) %"
        case (let number as Int, "bytes a byte"): "\(number)"
        case (let number as Double, "ratio"): "\(number)"
        case (let time as Duration, "time"): written(time)
        case (let time as TimeAmount, "time"): written(time.duration)
        case (let text as String, _): text
        default: nil
        }
    }

    private static func bytes(_ number: Int) -> String {
        for (shift, name) in [(30, "GiB"), (20, "MiB"), (10, "KiB")]
        where number > 0 && number % (1 << shift) == 0 {
            return "\(number >> shift) \(name)"
        }
        return "\(number) B"
    }

    /// Returns the number with grouped digits: `1000`, `10 000`.
    private static func grouped(_ number: Int) -> String {
        number < 10_000 ? "\(number)" : "\(number / 1000) \("\(1000 + number % 1000)".dropFirst())"
    }

    private static func written(_ time: Duration) -> String {
        let milliseconds = Int(time / .milliseconds(1))
        if milliseconds % 1000 != 0 { return "\(milliseconds) ms" }
        let seconds = milliseconds / 1000
        return seconds > 120 && seconds % 60 == 0 ? "\(seconds / 60) min" : "\(seconds) s"
    }

    // MARK: Tests

    @Test("Each limit in the code has one row, and each row names a limit in the code")
    func complete() throws {
        let rows = try Self.rows()
        let names = rows.map(\.name)
        #expect(Set(names).count == names.count, "a name has two rows")
        let code = Set(Self.inCode().keys)
        #expect(code.subtracting(names).sorted() == [], "missing in the table")
        #expect(Set(names).subtracting(code).sorted() == [], "missing in the code")
    }

    @Test("Each row states the unit, the default and the effect of exceeding the limit")
    func defaults() throws {
        let code = Self.inCode()
        for row in try Self.rows() {
            guard let value = code[row.name] else { continue }
            #expect(Self.text(of: value, in: row.unit) == row.value, "\(row.name)")
            #expect(row.beyond.count > 2, "\(row.name)")
        }
    }

    @Test("The article names the limits that are fixed beside others that can be set")
    func fixed() throws {
        let text = try String(contentsOf: Self.article, encoding: .utf8)
        let list = try #require(text.components(separatedBy: "So are these: ").dropFirst().first)
        let sentence = try #require(list.components(separatedBy: ". <doc:").first)
        let named = Set(sentence.matches(of: /`([a-zA-Z.]+)`/).map { String($0.output.1) })
        // No part of `Resolver.Limits` can be set for a gateway.
        let settable = Set(Self.structures.map(\.0)).subtracting(["resolver"]).union(["upstreamBodies"])
        let fixed = Self.constants.keys.filter { name in
            name.contains(".") && settable.contains(String(name.prefix { $0 != "." }))
        }
        #expect(named.sorted() == fixed.sorted())
    }

    @Test("The parsers and the decoder have the same defaults as the limits that configure them")
    func layersBelow() {
        let (inbound, request) = (InboundLimits(), RequestLimits())
        #expect(request.target == inbound.target && request.fieldBlock == inbound.headerBlock)
        #expect(request.fieldLine == inbound.headerLine && request.fieldCount == inbound.headerCount)
        let (outbound, response) = (OutboundLimits(), ResponseLimits())
        #expect(response.fieldBlock == outbound.responseHead && response.fieldLine == outbound.responseHead)
        #expect(response.fieldCount == outbound.responseFields)
        #expect(response.informational == outbound.informationalResponses)
        let decoding = DecodingLimits()
        #expect(decoding.size == outbound.responseBody && decoding.ratio == outbound.decodingRatio)
        #expect(GatewayLimits().requestBody == inbound.requestBody)
    }

    @Test("A wrong default, a missing row and an extra row are found")
    func findsFaults() throws {
        let article = try String(contentsOf: Self.article, encoding: .utf8)
        let rows = try Self.rows()
        #expect(rows.count > 100)
        let first = try #require(rows.first { $0.name == "inbound.target" })
        #expect(Self.rows(of: article.replacing("| `inbound.target`", with: "| `inbound.goal`")) != rows)
        #expect(Self.text(of: InboundLimits().target + 1, in: first.unit) != first.value)
        #expect(Self.text(of: InboundLimits().target, in: "time") == nil)
        #expect(Self.inCode()["inbound.headerDeadline"] as? Duration == .seconds(10))
        #expect(Self.inCode()["policy.retry.backoff.cap"] as? Duration == .seconds(1))
        #expect(Self.inCode()["policy.attemptLimits.connect"] as? Duration == .seconds(1))
        #expect(Self.inCode()["inbound.spoolDirectory"] == nil)
    }
}
