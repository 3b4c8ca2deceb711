// Signing keys that a runtime trusts, and the rules by which trust moves to another key (specs/keys.md). Pure: no network, no disk.
import { openKeyRecord, readKeyRecord, type SignedKeyRecord } from '@signalbox/wire'

export interface Trust {
  /** Key that signed the bundle in force; empty: none is known yet. */
  readonly key: string
  /** Known successors, in order; a bundle signed by one of them is accepted. */
  readonly next: readonly string[]
  /** Superseded keys, which are never trusted again. */
  readonly past: readonly string[]
}

export interface Learned {
  readonly trust: Trust
  /** Key that signed two different successors, so someone else has it; null: none. */
  readonly disputed: string | null
}

/** The first successor that was seen stays: a record that leads elsewhere, back, or to a superseded key changes nothing. */
export function learned(
  trust: Trust,
  records: readonly SignedKeyRecord[],
  project: string,
): Learned {
  if (trust.key === '') return { trust, disputed: null }
  const chain = [trust.key, ...trust.next]
  for (let at = 0; at < chain.length; at++) {
    const known = chain[at + 1]
    const others = findFollowers(chain[at] ?? '', { records, project, known })
    const [next] = others
    if (known === undefined && others.length < 2) {
      if (next !== undefined && !trust.past.includes(next) && !chain.includes(next))
        chain.push(next)
    } else if (next !== undefined) {
      return { trust: withNext(trust, chain), disputed: chain[at] ?? null }
    }
  }
  return { trust: withNext(trust, chain), disputed: null }
}

function withNext(trust: Trust, [, ...next]: readonly string[]): Trust {
  return { ...trust, next }
}

interface Claims {
  readonly records: readonly SignedKeyRecord[]
  readonly project: string
  /** Successor that is already known and needs no proof. */
  readonly known: string | undefined
}

/** Keys that both signatures prove to succeed `key`, each once. A check costs milliseconds, so only relevant records are checked. */
function findFollowers(key: string, { records, project, known }: Claims): readonly string[] {
  const proved = records.flatMap((record) => {
    const claim = readKeyRecord(record.text)
    if (claim === null || claim.previous !== key || claim.project !== project) return []
    return claim.next === known || openKeyRecord(record) === null ? [] : [claim.next]
  })
  return [...new Set(proved)]
}

/** Trust after a bundle signed by `key` was applied: earlier keys are superseded. A key that is not trusted changes nothing. */
export function advancedTo(trust: Trust, key: string): Trust {
  const chain = [trust.key, ...trust.next]
  const at = chain.indexOf(key)
  if (at < 1) return trust
  return { key, next: chain.slice(at + 1), past: unite(trust.past, chain.slice(0, at)) }
}

/** A superseded key changes nothing, because its successors were proved. A known successor becomes current. Any other key starts a new chain. */
export function rootedIn(trust: Trust, root: string): Trust {
  if (trust.key === root || trust.past.includes(root)) return trust
  if (trust.next.includes(root)) return advancedTo(trust, root)
  const before = trust.key === '' ? [] : [trust.key, ...trust.next]
  return { key: root, next: [], past: unite(trust.past, before) }
}

/** Compares two memories of one installation. The one in which the other's key is superseded is newer. */
export function compareTrust(ours: Trust, theirs: Trust): 'ours' | 'theirs' | 'same' | 'unrelated' {
  if (ours.key === theirs.key) return 'same'
  if (theirs.key === '' || ours.past.includes(theirs.key)) return 'ours'
  if (ours.key === '' || theirs.past.includes(ours.key)) return 'theirs'
  return 'unrelated'
}

export function joined(ours: Trust, theirs: Trust): Trust {
  const isLonger = ours.next.every((key, at) => theirs.next[at] === key)
  return { ...ours, next: isLonger ? theirs.next : ours.next, past: unite(ours.past, theirs.past) }
}

function unite(first: readonly string[], second: readonly string[]): readonly string[] {
  return [...new Set([...first, ...second])]
}
