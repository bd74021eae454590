#!/usr/bin/env python3
"""Documents per second of `sda cluster` against `sda fit` with as many asynchronous workers.

  cluster_throughput.py SDA DOCWORD VOCAB [--workers 2] [--minibatch 4096] [--topics 100]
                        [--primitive gibbs] [--passes 1] [--rounds 3] [--cores 0-3 --broker-cores 4-7]

Each round runs both, one after the other, on this machine, with a broker of its own (tools/kafka).
Counted is the time after the first minibatch, which goes alone in both. With --passes the corpus
comes so many times: joining and the end, when some have nothing left to do, weigh less then. With --cores and
--broker-cores (as taskset has them) the broker's cores are counted apart: the workers of both have
the same cores to themselves.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BROKER = os.path.join(ROOT, "tools", "kafka", "broker.sh")


def run(commands, env):
    """Runs them at once; returns what each printed, and their processor seconds in all."""
    running = [subprocess.Popen(c, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, text=True)
               for c in commands]
    outputs, cpu = [], 0.0
    for command, process in zip(commands, running):
        outputs.append(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit("failed: " + " ".join(command))
        cpu += usage.ru_utime + usage.ru_stime
    return outputs, cpu


def on(cores, command):
    return ["taskset", "-c", cores] + command if cores else command


def cpu_of(pid):
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def fit(a, folder):
    held_out = os.path.join(folder, "held_out")
    with open(held_out, "w") as f:
        f.write("1\n")  # so that there is a time after the first minibatch
    report = os.path.join(folder, "report.json")
    _, cpu = run([on(a.cores, [a.sda, "fit"] + [a.docword] * a.passes + ["--vocab", a.vocab, "--topics", str(a.topics), "--primitive", a.primitive,
                   "--schedule", "async", "--workers", str(a.workers), "--threads", str(a.workers),
                   "--minibatch", str(a.minibatch * a.workers), "--first-minibatch", str(a.minibatch),
                   "--holdout", held_out, "--report", report, "-o", os.path.join(folder, "model")])], None)
    with open(report) as f:
        result = json.load(f)
    first = result["curve"][0]
    return (result["documents"] - first["documents"]) / (result["seconds"] - first["seconds"]), cpu, result["documents"]


def cluster(a, folder, number):
    state = os.path.join(folder, "broker")
    env = dict(os.environ, SDA_KAFKA_JAVA_OPTIONS="-XX:TieredStopAtLevel=4 -Xmx1g")
    start = on(a.broker_cores, [BROKER, "start", "--state", state, "--owner", str(os.getpid())])
    address = subprocess.run(start, env=env, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             text=True).stdout.strip()
    env["SDA_BROKERS"] = address
    try:
        job = "throughput%d" % number
        run([[a.sda, "cluster", "create", job, "--format", "ldac", "--vocab", a.vocab, "--topics", str(a.topics),
              "--primitive", a.primitive, "--minibatch", str(a.minibatch), "--first-minibatch", str(a.minibatch)]], env)
        for _ in range(a.passes):
            run([[a.sda, "cluster", "feed", job, a.docword, "--again"]], env)
        pid = int(subprocess.run([BROKER, "pid", "--state", state], check=True, stdout=subprocess.PIPE).stdout)
        before = cpu_of(pid)
        work = on(a.cores, [a.sda, "cluster", "work", job, "--threads", "1", "--until-caught-up", "--json"])
        _, cpu = run([work] * a.workers, env)
        broker_cpu = cpu_of(pid) - before
        status = json.loads(run([[a.sda, "cluster", "status", job, "--json"]], env)[0][0])
        seconds = status["seconds_from_first_to_last_delta"]
        documents = status["documents"] - a.minibatch
        return {"rate": documents / seconds, "cpu": cpu, "broker": broker_cpu,
                "bytes": status["log"]["bytes"] / status["documents"], "documents": status["documents"],
                "staleness": status["staleness_mean"]}
    finally:
        subprocess.run([BROKER, "stop", "--state", state], check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("sda", "docword", "vocab"):
        parser.add_argument(name)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--minibatch", type=int, default=4096)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--primitive", default="gibbs")
    parser.add_argument("--passes", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cores", default="")
    parser.add_argument("--broker-cores", default="")
    a = parser.parse_args()
    print("| round | fit, documents/s | cluster | of it | fit, CPU s | workers' | broker's | bytes a document | "
          "staleness |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    shares = []
    for number in range(1, a.rounds + 1):
        with tempfile.TemporaryDirectory() as folder:
            rate, cpu, _ = fit(a, folder)
            c = cluster(a, folder, number)
        print("| %d | %.0f | %.0f | %.2f | %.1f | %.1f | %.1f | %.0f | %.1f |" % (
            number, rate, c["rate"], c["rate"] / rate, cpu, c["cpu"], c["broker"], c["bytes"], c["staleness"]),
              flush=True)
        shares.append(c["rate"] / rate)
    print("median: %.2f of the documents per second of sda fit" % statistics.median(shares))


if __name__ == "__main__":
    main()
