import { expect, onTestFinished, test, vi } from 'vitest'
import { lazyModule } from './lazy-section.tsx'

const Part = () => null

interface Attempt {
  readonly resolve: (part: typeof Part) => void
  readonly reject: (reason: Error) => void
}

function controlled() {
  const attempts: Attempt[] = []
  const load = vi.fn(
    () =>
      new Promise<typeof Part>((resolve, reject) => {
        attempts.push({ resolve, reject })
      }),
  )
  return { attempts, load, program: lazyModule(load) }
}

test('a lazy section loads again when the network returns during a failing attempt', async () => {
  const { attempts, load, program } = controlled()
  program.fetch()
  program.retry()
  expect(load).toHaveBeenCalledTimes(1)
  attempts[0]!.reject(new Error('no network'))
  await vi.waitFor(() => expect(load).toHaveBeenCalledTimes(2))
  attempts[1]!.resolve(Part)
  await vi.waitFor(() => expect(program.state()).toEqual({ kind: 'loaded', Part }))
})

test('a lazy section stays in the failed state until a retry', async () => {
  const { attempts, load, program } = controlled()
  program.fetch()
  attempts[0]!.reject(new Error('no network'))
  await vi.waitFor(() => expect(program.state()).toEqual({ kind: 'failed' }))
  expect(load).toHaveBeenCalledTimes(1)
  program.retry()
  expect(load).toHaveBeenCalledTimes(2)
})

test('a lazy section loads again while requests from before the network returned still fail', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { attempts, load, program } = controlled()
  program.fetch()
  attempts[0]!.reject(new Error('no network'))
  await vi.waitFor(() => expect(program.state()).toEqual({ kind: 'failed' }))
  program.retry()
  attempts[1]!.reject(new Error('a request from before'))
  await vi.waitFor(() => expect(load).toHaveBeenCalledTimes(3))
  attempts[2]!.resolve(Part)
  await vi.waitFor(() => expect(program.state()).toEqual({ kind: 'loaded', Part }))
})
