import type { CheckerDocument } from '@signalbox/core'
import fc from 'fast-check'
import { CUSTOM_TYPES, tool } from './alphabet.ts'

type Shape =
  | { readonly leaf: (id: string) => CheckerDocument }
  | { readonly all: boolean; readonly of: Shape[] }

type Leaf = fc.Arbitrary<{ readonly leaf: (id: string) => CheckerDocument }>

const leaf: Leaf = fc.oneof(
  fc.constant({ leaf: (id: string) => ({ id, type: 'plan' }) as const }),
  fc
    .subarray(['a.txt', 'b.txt'], { minLength: 1 })
    .map((files) => ({ leaf: (id: string) => ({ id, type: 'files_exist', files }) as const })),
  fc
    .record(
      { tool, after: fc.uniqueArray(tool, { minLength: 1, maxLength: 2 }) },
      { requiredKeys: ['tool'] },
    )
    .map((fields) => ({
      leaf: (id: string) => ({ id, type: 'tool_succeeded', ...fields }) as const,
    })),
  fc.boolean().map((require_adapter) => ({
    leaf: (id: string) =>
      ({ id, type: 'llm_judge', criteria: 'The work is done.', require_adapter }) as const,
  })),
)

const extendedLeaf: Leaf = fc.oneof(
  { arbitrary: leaf, weight: 3 },
  {
    arbitrary: fc
      .constantFrom('calls.test.succeeded > 0', 'session.plan.done == session.plan.total')
      .map((require) => ({ leaf: (id: string) => ({ id, type: 'expression', require }) as const })),
    weight: 1,
  },
  {
    arbitrary: fc.constant({ leaf: (id: string) => ({ id, type: CUSTOM_TYPES[0] }) }),
    weight: 1,
  },
)

function shapes(of: Leaf): fc.Arbitrary<Shape> {
  return fc.letrec<{ shape: Shape }>((tie) => ({
    shape: fc.oneof(
      { depthSize: 'small', maxDepth: 3 },
      of,
      fc.record({ all: fc.boolean(), of: fc.array(tie('shape'), { maxLength: 3 }) }),
    ),
  })).shape
}

function toCheckerDocument(node: Shape, next: () => string): CheckerDocument {
  const id = next()
  if ('leaf' in node) return node.leaf(id)
  const checkers = node.of.map((child) => toCheckerDocument(child, next))
  return { id, type: 'composite', all_must_pass: node.all, checkers }
}

function numbered(shape: Shape): CheckerDocument {
  let count = 0
  return toCheckerDocument(shape, () => `check-${++count}`)
}

/** A tree of types that core knows, without conditions. Its ids are `check-1`, `check-2` … in document order. */
export const checkerDocument: fc.Arbitrary<CheckerDocument> = shapes(leaf).map(numbered)

export const extendedCheckerDocument: fc.Arbitrary<CheckerDocument> =
  shapes(extendedLeaf).map(numbered)
