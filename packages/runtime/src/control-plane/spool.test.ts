import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ownIdentity } from './process-identity.ts'
import { Spool } from './spool.ts'

function inFolder<Result>(work: (folder: string) => Result): Result {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-spool-'))
  try {
    return work(folder)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

function orphan(folder: string, text: string): void {
  const left = path.join(
    folder,
    '999999999-1-0-dead'.replace('-0-', `-${ownIdentity().split('-')[2]}-`),
  )
  fs.mkdirSync(left)
  fs.writeFileSync(path.join(left, '00000001.ndjson'), text)
}

interface Model {
  held: string[]
  acknowledged: string[]
  offered: number
}

class Append implements fc.Command<Model, Spool> {
  readonly line: string
  constructor(line: string) {
    this.line = line
  }
  check = () => true
  run(model: Model, spool: Spool): void {
    model.offered += 1
    spool.append(this.line)
    model.held.push(this.line)
  }
  toString = () => `append(${this.line.length})`
}

class Acknowledge implements fc.Command<Model, Spool> {
  check = () => true
  run(model: Model, spool: Spool): void {
    const segment = spool.oldest()
    expect(segment === null).toBe(model.held.length === 0)
    if (segment === null) return
    const lines = segment.lines.split('\n').slice(0, -1)
    expect(lines).toEqual(model.held.slice(0, lines.length))
    model.acknowledged.push(...model.held.splice(0, lines.length))
    spool.remove(segment)
  }
  toString = () => 'acknowledge'
}

class LookOnly implements fc.Command<Model, Spool> {
  check = () => true
  run(model: Model, spool: Spool): void {
    spool.oldest()
    expect(spool.heldLines).toBe(model.held.length)
    expect(model.offered).toBe(model.acknowledged.length + model.held.length)
  }
  toString = () => 'look'
}

describe('the spool', () => {
  test('offers exactly the unacknowledged events, in order, after any appends and acknowledgments', () => {
    const commands = [
      fc.string({ maxLength: 40 }).map((text) => new Append(JSON.stringify(text))),
      fc.constant(new Acknowledge()),
      fc.constant(new LookOnly()),
    ]
    fc.assert(
      fc.property(fc.commands(commands, { maxCommands: 60 }), (run) =>
        inFolder((folder) => {
          const setup = () => ({
            model: { held: [], acknowledged: [], offered: 0 },
            real: new Spool({ folder, maxBytes: 1_000_000 }),
          })
          fc.modelRun(setup, run)
        }),
      ),
      { numRuns: 60 },
    )
  })

  test('refuses an event that does not fit, and keeps no part of it', () =>
    inFolder((folder) => {
      const spool = new Spool({ folder, maxBytes: 10 })
      spool.append('"1234"')
      expect(() => spool.append('"5678"')).toThrow('spool is full')
      expect(spool.oldest()?.lines).toBe('"1234"\n')
    }))

  test('frees the space of acknowledged events', () =>
    inFolder((folder) => {
      const spool = new Spool({ folder, maxBytes: 10 })
      spool.append('"1234"')
      const segment = spool.oldest()
      if (segment !== null) spool.remove(segment)
      spool.append('"5678"')
      expect(spool.heldLines).toBe(1)
    }))

  test('sends the segments of a dead process first and drops their torn last line', () =>
    inFolder((folder) => {
      orphan(folder, '"old"\n"torn')
      const spool = new Spool({ folder, maxBytes: 1000 })
      spool.append('"new"')
      const first = spool.oldest()
      expect(first?.lines).toBe('"old"\n')
      if (first !== null) spool.remove(first)
      expect(spool.oldest()?.lines).toBe('"new"\n')
      expect(fs.readdirSync(folder)).toHaveLength(1)
    }))

  test('the spool does not send the segments of a living process', () =>
    inFolder((folder) => {
      const other = new Spool({ folder, maxBytes: 1000 })
      other.append('"theirs"')
      expect(new Spool({ folder, maxBytes: 1000 }).oldest()).toBeNull()
    }))

  test('sends the segments of a dead process whose process id was reused, on Linux', () =>
    inFolder((folder) => {
      const [pid, , space] = ownIdentity().split('-')
      const left = path.join(folder, `${pid}-1-${space}-dead`)
      fs.mkdirSync(left)
      fs.writeFileSync(path.join(left, '00000001.ndjson'), '"old"\n')
      const found = new Spool({ folder, maxBytes: 1000 }).oldest()
      expect(found?.lines ?? null).toBe(process.platform === 'linux' ? '"old"\n' : null)
    }))

  test('counts no events of a segment that another process removed', () =>
    inFolder((folder) => {
      const spool = new Spool({ folder, maxBytes: 1000 })
      spool.append('"1"')
      const segment = spool.oldest()
      if (segment !== null) fs.rmSync(segment.file)
      expect(spool.oldest()).toBeNull()
      expect(spool.heldLines).toBe(0)
    }))
})
