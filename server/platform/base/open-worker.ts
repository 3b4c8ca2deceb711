import path from 'node:path'
import { Worker } from 'node:worker_threads'

/** A worker thread that answers what it is sent. */
export interface OpenWorker<Sent, Answer> {
  send(sent: Sent): void
  /** The next answer. Rejects when the worker ends without one, and when the signal aborts. */
  next(): Promise<Answer>
  end(): void
}

export interface WorkerStart {
  /** Path in the project of a module that Node.js runs as it is. */
  readonly file: string
  readonly workerData?: unknown
  readonly memoryMb: number
  readonly signal: AbortSignal
}

export function openWorker<Sent, Answer>({
  file,
  workerData,
  memoryMb,
  signal,
}: WorkerStart): OpenWorker<Sent, Answer> {
  const worker = new Worker(path.join(/* turbopackIgnore: true */ process.cwd(), file), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  })
  const answers: Answer[] = []
  let failure: unknown = null
  let wake = (): void => undefined
  worker.on('message', (answer: Answer) => {
    answers.push(answer)
    wake()
  })
  const fail = (error: unknown): void => {
    failure ??= error
    wake()
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('The worker ended without an answer.')))
  const abort = (): void => fail(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return {
    send: (sent) => worker.postMessage(sent),
    async next() {
      for (;;) {
        signal.throwIfAborted()
        const answer = answers.shift()
        if (answer !== undefined) return answer
        if (failure !== null) throw failure
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    end() {
      signal.removeEventListener('abort', abort)
      void worker.terminate()
    },
  }
}
