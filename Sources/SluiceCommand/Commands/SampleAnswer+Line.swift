import GatewayHTTP
@_spi(Lines) import JSONBytes
import SampleUpstreams

extension SampleAnswer {
    /// The line of the access log for this answer.
    var line: JSONLine {
        var timestamp = Timestamp()
        var line = JSONLine(capacity: 256)
        line.constant(#"{"time":""#)
        timestamp.write(to: &line)
        line.constant("\"")
        if let method, let target {
            line.constant(#","method":"#)
            line.string(method)
            line.constant(#","target":"#)
            line.string(target)
        }
        line.constant(#","status":"#)
        if let status { line.integer(status) } else { line.constant("null") }
        line.constant(#","elapsedMs":"#)
        line.fixed(Int((elapsedMilliseconds * 1000).rounded()), places: 3)
        line.constant(#","bytesOut":"#)
        line.integer(bytesSent)
        line.constant(isComplete ? #","complete":true}"# : #","complete":false}"#)
        line.constant("\n")
        return line
    }
}

extension SampleDataError {
    /// The line on standard error for this error.
    var line: JSONLine {
        var timestamp = Timestamp()
        var line = JSONLine(capacity: 256)
        line.constant(#"{"time":""#)
        timestamp.write(to: &line)
        line.constant(#"","level":"error","message":"the sample data failed","what":"#)
        line.string(description)
        line.constant("}\n")
        return line
    }
}

extension JSONLine {
    /// The line on standard error for a SIGHUP.
    static var hangUpIgnored: JSONLine {
        var timestamp = Timestamp()
        var line = JSONLine(capacity: 128)
        line.constant(#"{"time":""#)
        timestamp.write(to: &line)
        line.constant(#"","level":"warning","message":"#)
        line.string("\(Signals.hangUpIgnored)")
        line.constant("}\n")
        return line
    }
}
