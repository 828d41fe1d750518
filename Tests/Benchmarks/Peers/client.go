// Peer: Go's net/http client, with a goroutine for each call in flight.
//
//	client URL COUNT IN-FLIGHT BODY-LENGTH [CA-FILE]
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func fail(err interface{}) {
	fmt.Fprintln(os.Stderr, "client:", err)
	os.Exit(1)
}

func number(place int) int64 {
	n, err := strconv.ParseInt(os.Args[place], 10, 64)
	if err != nil {
		fail(err)
	}
	return n
}

func cpu() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Sec+usage.Stime.Sec) + float64(usage.Utime.Usec+usage.Stime.Usec)/1e6
}

func main() {
	count, inFlight, length := number(2), number(3), number(4)
	transport := &http.Transport{MaxIdleConnsPerHost: int(inFlight), MaxConnsPerHost: int(inFlight), DisableCompression: true}
	if len(os.Args) > 5 {
		pem, err := os.ReadFile(os.Args[5])
		if err != nil {
			fail(err)
		}
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(pem)
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, ClientSessionCache: tls.NewLRUClientSessionCache(64)}
	}
	client := &http.Client{Transport: transport}
	warmUp := 10 * inFlight
	total := warmUp + count
	var begun, ended int64
	var startCPU float64
	var start time.Time
	var all sync.WaitGroup
	for i := int64(0); i < inFlight; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for atomic.AddInt64(&begun, 1) <= total {
				request, err := http.NewRequest("GET", os.Args[1], nil)
				if err != nil {
					fail(err)
				}
				request.Header.Set("Accept", "application/json")
				request.Header.Set("User-Agent", "bench")
				response, err := client.Do(request)
				if err != nil {
					fail(err)
				}
				body, err := io.ReadAll(response.Body)
				response.Body.Close()
				if err != nil || response.StatusCode != 200 || int64(len(body)) != length {
					fail(fmt.Sprint("status ", response.StatusCode, ", ", len(body), " bytes, ", err))
				}
				switch atomic.AddInt64(&ended, 1) {
				case warmUp:
					startCPU, start = cpu(), time.Now()
				case total:
					used, elapsed := cpu()-startCPU, time.Since(start).Seconds()
					fmt.Println(used/float64(count)*1e6, float64(count)/elapsed)
				}
			}
		}()
	}
	all.Wait()
}
