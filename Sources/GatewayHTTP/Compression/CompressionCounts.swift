import ContentCoding
import EventIO
import Metrics

/// What one loop counts of the answers that it compresses.
struct CompressionCounts {
    let skipped: Counter
    let streams: Gauge
    private let gzipInput: Counter
    private let gzipOutput: Counter
    private let brotliInput: Counter
    private let brotliOutput: Counter

    init(on loop: EventLoop) {
        let process = loop.metrics.name()
        let page = loop.page
        skipped = process.counter(.compressionSkipped, on: page)
        streams = process.gauge(.compressionStreams, on: page)
        gzipInput = process.counter(.compressionInput, ["gzip"], on: page)
        gzipOutput = process.counter(.compressionOutput, ["gzip"], on: page)
        brotliInput = process.counter(.compressionInput, ["br"], on: page)
        brotliOutput = process.counter(.compressionOutput, ["br"], on: page)
    }

    func compressed(_ coding: ContentCoding, _ input: Int, to output: Int) {
        if coding == .gzip {
            gzipInput.add(input)
            gzipOutput.add(output)
        } else {
            brotliInput.add(input)
            brotliOutput.add(output)
        }
    }
}
