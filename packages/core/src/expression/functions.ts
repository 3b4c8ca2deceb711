// The evaluator's functions with their work counted, and our own where it differs from CEL or CEL has nothing for JSON numbers
// (specs/expressions.md).
import {
  type CelFunc,
  type CelInput,
  CelScalar,
  type CelType,
  type CelValue,
  celEnv,
  celFunc,
  celList,
  celMethod,
  isCelError,
  isCelList,
  isCelMap,
  listType,
  mapType,
} from '@bufbuild/cel'
import type { Evaluation } from './evaluation.ts'
import { APPEND, HAS_KEY, TICK } from './instrument.ts'

/** Format accepted by `int()` and `uint()`. JavaScript would also accept empty text, spaces and `0x10`. */
const INTEGER_FORM = /^[+-]?\d{1,20}$/

const DECIMAL_FORM =
  /^(?:[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,5})?|[+-]?Infinity|NaN)$/

/** Negative, zero or positive, by code points. JavaScript alone would sort U+10000 before U+FFFF. */
function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let i = 0; i < length; i += 1) {
    const a = left.charCodeAt(i)
    const b = right.charCodeAt(i)
    if (a !== b) return rankCodeUnit(a) - rankCodeUnit(b)
  }
  return left.length - right.length
}

/** Surrogates represent code points above all single code units. */
function rankCodeUnit(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

/** Returns the running evaluation: functions are created once, for all programs of an engine. */
type Running = () => Evaluation
type Before = (func: CelFunc, args: readonly CelValue[]) => void

const { BOOL, DOUBLE, DYN, INT, STRING, UINT } = CelScalar
const LIST = listType(DYN)
const MAP = mapType(DYN, DYN)

/** Functions whose work grows with their arguments. All others take a few steps for any arguments. */
const METERED: ReadonlySet<string> = new Set(
  '_==_ _!=_ _<_ _<=_ _>_ _>=_ @in _+_ contains startsWith endsWith string bytes size'.split(' '),
)
const OF_ONE_SIZE: ReadonlySet<CelType | undefined> = new Set([INT, UINT, DOUBLE, BOOL, undefined])
const MAY_OVERFLOW: ReadonlySet<string> = new Set('_-_ _*_ _/_ _%_ -_ int uint double'.split(' '))
const FORMS: ReadonlyMap<string, RegExp> = new Map([
  ['int(string)', INTEGER_FORM],
  ['uint(string)', INTEGER_FORM],
  ['double(string)', DECIMAL_FORM],
])

/** A later function replaces an earlier one with the same name and types, and all of them replace the evaluator's. */
export function celFunctions(running: Running): CelFunc[] {
  const evaluatorFunctions = [...celEnv().funcs]
  return [
    ...evaluatorFunctions
      .filter(growsWithArguments)
      .map((func) => preceded(func, charging(running))),
    ...evaluatorFunctions
      .filter(({ name }) => MAY_OVERFLOW.has(name))
      .map((func) => preceded(func, checkForm)),
    ...ordering(running),
    ...mixedArithmetic(),
    ...collections(running),
    ...keys(running),
    celMethod('matches', STRING, [STRING], BOOL, function (pattern) {
      return running().matches(this, pattern)
    }),
    celFunc(TICK, [INT, DYN], DYN, (units, condition) => {
      running().charge(Number(units))
      return condition
    }),
  ]
}

function growsWithArguments({ name, target, arguments: types }: CelFunc): boolean {
  return METERED.has(name) && ![target, ...types].every((type) => OF_ONE_SIZE.has(type))
}

function preceded(func: CelFunc, before: Before): CelFunc {
  const call = (target: CelValue | undefined, args: CelValue[]): CelInput => {
    before(func, target === undefined ? args : [target, ...args])
    const result = func.call(0, target, args)
    // Throw a new error, so that it gets the position of the call: the evaluator's error has none.
    if (result === undefined || isCelError(result)) throw new Error(result?.message ?? 'no match')
    return result
  }
  const { name, target: type, arguments: types, result } = func
  if (type === undefined) return celFunc(name, types, result, (...args) => call(undefined, args))
  return celMethod(name, type, types, result, function (...args) {
    return call(this, args)
  })
}

/** Charges for reading the arguments. The size of a list or map takes one step, because its entries are not read. */
function charging(running: Running): Before {
  return ({ name }, args) => {
    const evaluation = running()
    const counted = name === 'size' && args.some((value) => isCelList(value) || isCelMap(value))
    if (counted) return evaluation.charge(1)
    for (const value of args) evaluation.charge(evaluation.values.weigh(value))
  }
}

function checkForm({ id, name }: CelFunc, [text]: readonly CelValue[]): void {
  const form = FORMS.get(id)
  if (form !== undefined && typeof text === 'string' && !form.test(text))
    throw new Error(`the text cannot be read as ${name}`)
}

function ordering(running: Running): CelFunc[] {
  const operators: readonly (readonly [name: string, holds: (order: number) => boolean])[] = [
    ['_<_', (order) => order < 0],
    ['_<=_', (order) => order <= 0],
    ['_>_', (order) => order > 0],
    ['_>=_', (order) => order >= 0],
  ]
  return operators.map(([name, holds]) =>
    celFunc(name, [STRING, STRING], BOOL, (left, right) => {
      const evaluation = running()
      evaluation.charge(evaluation.values.weigh(left))
      return holds(compareText(left, right))
    }),
  )
}

/** Arithmetic of int and double. The int becomes a double, so that `args.count + 1` needs no conversion. */
function mixedArithmetic(): CelFunc[] {
  const operators: readonly (readonly [name: string, apply: (a: number, b: number) => number])[] = [
    ['_+_', (a, b) => a + b],
    ['_-_', (a, b) => a - b],
    ['_*_', (a, b) => a * b],
    ['_/_', (a, b) => a / b],
    ['_%_', remainder],
  ]
  return operators.flatMap(([name, apply]) => [
    celFunc(name, [DOUBLE, INT], DOUBLE, (a, b) => apply(a, Number(b))),
    celFunc(name, [INT, DOUBLE], DOUBLE, (a, b) => apply(Number(a), b)),
  ])
}

function remainder(a: number, b: number): number {
  if (b === 0) throw new Error('modulus by zero')
  return a % b
}

/** The evaluator's own functions chain lists, so that reading a long one takes more than linear time and a deep stack. */
function collections(running: Running): CelFunc[] {
  return [
    celFunc('_+_', [LIST, LIST], LIST, (left, right) => {
      running().charge(left.size + right.size)
      return celList([...left, ...right])
    }),
    celFunc(APPEND, [LIST, DYN], LIST, (list, value) => {
      const { growing } = running()
      const entries = growing.get(list)
      if (entries !== undefined) {
        entries.push(value)
        return list
      }
      const started = [...list, value]
      const grown = celList(started)
      growing.set(grown, started)
      return grown
    }),
  ]
}

/** The evaluator's own functions would miss a key whose value is null. */
function keys(running: Running): CelFunc[] {
  return [
    celFunc(HAS_KEY, [MAP, STRING], BOOL, (map, key) => running().values.hasKey(map, key)),
    ...[STRING, INT, UINT, DOUBLE, BOOL].map((type) =>
      celFunc('@in', [type, MAP], BOOL, (key, map) => running().values.hasKey(map, key)),
    ),
  ]
}
