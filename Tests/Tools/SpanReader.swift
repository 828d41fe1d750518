import Foundation

/// opentelemetry-proto of Python, which reads what an exporter of OTLP sends.
package enum SpanReader {
    package static let isInstalled = MetricsReader.hasPackage("opentelemetry/proto")
    /// Why a test is skipped.
    package static let isMissing = "opentelemetry-proto is not installed: Tests/yaml"

    /// A span as the library reads it. Ids are hexadecimal digits.
    package struct Span: Decodable, Sendable {
        package let trace: String
        package let id: String
        package let parent: String
        package let name: String
        package let kind: Int
        /// Nanoseconds since 1970.
        package let start: UInt64
        package let end: UInt64
        /// 0 unset, 1 OK, 2 error.
        package let status: Int
        package let flags: Int
        /// Texts and numbers as texts.
        package let attributes: [String: String]
        package let resource: [String: String]
        package let scope: String
    }

    /// Reads the bodies of requests, which may be compressed by gzip.
    ///
    /// - Throws: the library refuses one.
    package static func spans(in bodies: [[UInt8]]) throws -> [Span] {
        let script = """
            import gzip, json, sys
            from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
            def value(v):
                kind = v.WhichOneof("value")
                if kind == "array_value": return "[" + ",".join(value(x) for x in v.array_value.values) + "]"
                return str(getattr(v, kind))
            def values(list): return {a.key: value(a.value) for a in list}
            spans = []
            for line in sys.stdin.read().split():
                data = bytes.fromhex(line)
                if data[:2] == b"\\x1f\\x8b": data = gzip.decompress(data)
                request = ExportTraceServiceRequest.FromString(data)
                for r in request.resource_spans:
                    for s in r.scope_spans:
                        for p in s.spans:
                            spans.append(dict(trace=p.trace_id.hex(), id=p.span_id.hex(),
                                parent=p.parent_span_id.hex(),
                                name=p.name, kind=p.kind, start=p.start_time_unix_nano,
                                end=p.end_time_unix_nano,
                                status=p.status.code, flags=p.flags, attributes=values(p.attributes),
                                resource=values(r.resource.attributes),
                                scope=s.scope.name + " " + s.scope.version))
            print(json.dumps(spans))
            """
        guard let python = PeerProcess.find("python3") else {
            throw PeerFailure(description: "python3 is not installed")
        }
        let hexadecimal = bodies.map { $0.map { String(format: "%02x", $0) }.joined() }.joined(
            separator: "\n")
        let (status, output) = try MetricsReader.run(python, ["-c", script], input: Array(hexadecimal.utf8))
        guard status == 0 else { throw PeerFailure(description: output) }
        return try JSONDecoder().decode([Span].self, from: Data(output.utf8))
    }
}
