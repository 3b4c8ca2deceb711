import { expect, test } from 'vitest'
import { createExplanationSteps, type StepPlace } from './explanation-steps.ts'

/** `/9` is the newest of nine pages. */
function place(at: number): StepPlace {
  return {
    path: `/${at}`,
    buildPath: (direction) => {
      const to = direction === 'older' ? at - 1 : at + 1
      return to < 1 || to > 9 ? null : `/${to}`
    },
  }
}

function reader() {
  const gone: string[] = []
  const { step, arrive, leave } = createExplanationSteps()((path) => void gone.push(path))
  const come = (): void => {
    const path = gone.at(-1) ?? ''
    leave(path)
    arrive(place(Number(path.slice(1))))
  }
  return { gone, step, arrive, leave, come }
}

test('a step between explanations continues from the pending page when it is pressed again', () => {
  const { gone, step, come } = reader()
  step(place(5), 'older')
  step(place(5), 'older')
  step(place(5), 'older')
  expect(gone).toEqual(['/4'])
  come()
  come()
  come()
  expect(gone).toEqual(['/4', '/3', '/2'])
  step(place(2), 'newer')
  expect(gone.at(-1)).toBe('/3')
})

test('queued steps between explanations keep their order and stop where there is no neighbor', () => {
  const { gone, step, come } = reader()
  step(place(2), 'older')
  for (const direction of ['older', 'newer'] as const) step(place(2), direction)
  come()
  expect(gone).toEqual(['/1'])
  step(place(1), 'newer')
  expect(gone).toEqual(['/1', '/2'])
})

test('queued steps between explanations are dropped when the user navigates to another page', () => {
  const { gone, step, arrive, leave } = reader()
  step(place(5), 'older')
  step(place(5), 'older')
  leave('/sessions')
  arrive(place(4))
  expect(gone).toEqual(['/4'])
  // The requested page did not load, and the user is on another one.
  step(place(4), 'older')
  step(place(4), 'older')
  arrive(place(7))
  step(place(7), 'older')
  expect(gone).toEqual(['/4', '/3', '/6'])
})
