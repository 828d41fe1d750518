import GatewayServer
import JSONBytes
import SampleUpstreams

extension SampleAnswer {
    /// The answer as a line of the access log.
    var line: JSONComposer {
        var timestamp = Timestamp()
        var line = JSONComposer(reservingCapacity: 256)
        line.beginObject()
        line.key("time")
        timestamp.write(to: &line)
        if let method, let target {
            line.key("method")
            line.string(method)
            line.key("target")
            line.string(target)
        }
        line.key("status")
        if let status { line.int(status) } else { line.null() }
        line.key("elapsedMs")
        line.fixed(Int((elapsedMilliseconds * 1000).rounded()), places: 3)
        line.key("bytesOut")
        line.int(bytesSent)
        line.key("complete")
        line.bool(isComplete)
        line.endObject()
        return line
    }
}
