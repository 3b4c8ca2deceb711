// @ts-check
// Configured by the files that operators get, deploy/patroni: three etcd, three Patroni with a PostgreSQL each, and HAProxy in front.
import fs from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { askJson, fillIn, freePort, until } from './lab.mjs'

const NODES = ['db1', 'db2', 'db3']
const PASSWORD = 'for-the-lab-only'
/** A standby that was killed is back after 6 to 20 seconds. */
const STUCK_MS = 25_000
/** Patroni's record of the synchronous standbys, and of the primary that named them. */
const SYNC_KEY = Buffer.from('/service/signalbox/sync').toString('base64')
/** Patroni promotes no standby that is further behind (maximum_lag_on_failover, in bytes). */
const LARGEST_LAG = 1_048_576

/** @typedef {import('./lab.mjs').Lab} Lab */
/** @typedef {{ etcd: number, etcdPeer: number, postgres: number, rest: number }} Ports */
/** @typedef {{ name: string, role: string, state: string, lag?: number | string }} Member as Patroni reports it */

/**
 * Resolves when three servers replicate and HAProxy leads to the primary.
 * @param {Lab} lab
 * @param {{ ttl: number }} times seconds until a silent primary is replaced; the file's 20 make a test long
 */
export async function startHaDatabase(lab, times) {
  /** @type {Map<string, Ports>} */
  const ports = new Map()
  for (const node of NODES)
    ports.set(node, {
      etcd: await freePort(),
      etcdPeer: await freePort(),
      postgres: await freePort(),
      rest: await freePort(),
    })
  const database = new HaDatabase(lab, {
    ports,
    ...times,
    writer: await freePort(),
    reader: await freePort(),
  })
  await database.start()
  return database
}

export class HaDatabase {
  /** @type {ReadonlyMap<string, Ports>} */
  #ports
  #writer
  #reader
  #ttl

  /** @param {Lab} lab @param {{ ports: ReadonlyMap<string, Ports>, ttl: number, writer: number, reader: number }} place */
  constructor(lab, { ports, ttl, writer, reader }) {
    this.lab = lab
    this.#ports = ports
    this.#ttl = ttl
    this.#writer = writer
    this.#reader = reader
    this.url = `postgresql://signalbox:${PASSWORD}@127.0.0.1:${writer}/signalbox`
    this.standbyUrl = `postgresql://signalbox:${PASSWORD}@127.0.0.1:${reader}/signalbox`
  }

  /** @param {string} node */
  #at(node) {
    const ports = this.#ports.get(node)
    if (ports === undefined) throw new Error(`There is no server ${node}.`)
    return ports
  }

  async start() {
    for (const node of NODES) this.#startEtcd(node)
    await until('etcd', 30, () => this.etcdLeader())
    for (const node of NODES) {
      this.lab.keepPidFile(`postgres-${node}`, path.join(this.lab.folder, node, 'postmaster.pid'))
      this.#startPatroni(node)
    }
    await until('a primary', 90, () => this.primary())
    await this.whole()
    const config = path.join(this.lab.folder, 'haproxy.cfg')
    fs.writeFileSync(
      config,
      fillIn('patroni/haproxy.cfg', [
        ['bind :5432', `bind 127.0.0.1:${this.#writer}`],
        ['bind :5433', `bind 127.0.0.1:${this.#reader}`],
        ...NODES.map((node, index) => {
          const { postgres, rest } = this.#at(node)
          return /** @type {const} */ ([
            `10.0.0.${index + 1}:5432 check port 8008`,
            `127.0.0.1:${postgres} check port ${rest}`,
          ])
        }),
      ]),
    )
    this.lab.start('haproxy', 'haproxy', ['-db', '-f', config])
    await this.#createDatabase()
  }

  async #createDatabase() {
    const owner = `postgresql://postgres:${PASSWORD}@127.0.0.1:${this.#writer}/postgres`
    // HAProxy takes every server for a primary until its first check.
    const client = await until('HAProxy leads to the primary', 30, () => connectToWriter(owner))
    try {
      await client.query(`CREATE ROLE signalbox LOGIN PASSWORD '${PASSWORD}'`)
      await client.query('CREATE DATABASE signalbox OWNER signalbox')
    } finally {
      await client.end()
    }
  }

  /** @param {string} node */
  #startEtcd(node) {
    const { etcd, etcdPeer } = this.#at(node)
    const address = (/** @type {number} */ port) => `http://127.0.0.1:${port}`
    const data = path.join(this.lab.folder, `etcd-${node}`)
    const members = NODES.map((each) => `${each}=${address(this.#at(each).etcdPeer)}`)
    this.lab.start(`etcd-${node}`, 'etcd', [
      ...['--name', node, '--data-dir', data, '--logger', 'zap', '--log-level', 'warn'],
      ...['--listen-client-urls', address(etcd), '--advertise-client-urls', address(etcd)],
      ...['--listen-peer-urls', address(etcdPeer)],
      ...['--initial-advertise-peer-urls', address(etcdPeer)],
      ...['--initial-cluster', members.join(','), '--initial-cluster-token', 'signalbox'],
    ])
  }

  /** Patroni starts PostgreSQL unless it runs. @param {string} node */
  #startPatroni(node) {
    const { postgres, rest } = this.#at(node)
    const { folder } = this.lab
    const loop = Math.max(1, Math.floor(this.#ttl / 6))
    const file = path.join(folder, `${node}.yml`)
    const text = fillIn('patroni/patroni.yml', [
      ['name: db1', `name: ${node}`],
      ['10.0.0.1:8008', `127.0.0.1:${rest}`],
      ['10.0.0.1:5432', `127.0.0.1:${postgres}`],
      ...NODES.map(
        (each, index) =>
          /** @type {const} */ ([`10.0.0.${index + 1}:2379`, `127.0.0.1:${this.#at(each).etcd}`]),
      ),
      ['10.0.0.0/24', '127.0.0.1/32'],
      ['local all all peer', 'local all all trust'],
      ['ttl: 20', `ttl: ${this.#ttl}`],
      ['loop_wait: 5', `loop_wait: ${loop}`],
      ['retry_timeout: 5', `retry_timeout: ${Math.floor((this.#ttl - loop) / 2)}`],
      ['change-me', PASSWORD],
      ['/var/lib/postgresql/signalbox', path.join(folder, node)],
      ['/var/lib/postgresql/pgpass', path.join(folder, `pgpass-${node}`)],
      ['/usr/lib/postgresql/15/bin', this.lab.postgres],
      ['/var/run/postgresql', folder],
    ])
    fs.writeFileSync(file, text)
    this.lab.start(`patroni-${node}`, 'python3', [this.lab.patroni, file])
  }

  /** Name of the server that writes; null: none. @returns {Promise<string | null>} */
  async primary() {
    const answers = await Promise.all(
      NODES.map((node) => askJson(`http://127.0.0.1:${this.#at(node).rest}/primary`)),
    )
    return NODES.find((_, index) => answers[index] !== null) ?? null
  }

  /** The servers as Patroni knows them; empty: no Patroni answers. @returns {Promise<readonly Member[]>} */
  async members() {
    for (const node of NODES) {
      const cluster = await askJson(`http://127.0.0.1:${this.#at(node).rest}/cluster`)
      if (cluster !== null) return cluster.members
    }
    return []
  }

  /** Returns what Patroni and its record of the synchronous standbys say, for the message of a wait that ended. */
  async describe() {
    return JSON.stringify({ members: await this.members(), sync: await this.#readSync() })
  }

  /** Null: no etcd answers, or there is no record. @returns {Promise<{ leader: string } | null>} */
  async #readSync() {
    const value = (await this.#askEtcd('range'))?.kvs?.[0]?.value ?? ''
    return value === '' ? null : JSON.parse(Buffer.from(value, 'base64').toString())
  }

  /** Name of the standby that has every acknowledged write; null: none. @returns {Promise<string | null>} */
  async synchronousStandby() {
    const members = await this.members()
    return members.find(({ role }) => role === 'sync_standby')?.name ?? null
  }

  /** Resolves when both standbys have caught up, one of them synchronously. */
  async whole() {
    let stuckAt = Date.now() + STUCK_MS
    /** @type {readonly Member[]} */
    let members = []
    const isWhole = async () => {
      if (Date.now() > stuckAt) {
        stuckAt = Date.now() + STUCK_MS
        await this.#removeStaleSync()
      }
      members = await this.members()
      const standbys = members.filter(isReady)
      return standbys.length === 2 && standbys.some(({ role }) => role === 'sync_standby')
    }
    await until(() => `two standbys of ${JSON.stringify(members)}`, 90, isWhole)
  }

  /**
   * Patroni 3.0.2, which Debian 12 has, names no synchronous standby while its record names a former primary, and such a record stays
   * after some switchovers (mended in 3.0.3). Its operator has to remove it, too.
   */
  async #removeStaleSync() {
    const primary = await this.primary()
    const sync = await this.#readSync()
    if (primary === null || sync === null || sync.leader === primary) return
    process.stdout.write(
      `Patroni's record names ${sync.leader} instead of ${primary}, and is removed.\n`,
    )
    await this.#askEtcd('deleterange')
  }

  /** Null: no etcd answers. @param {'range' | 'deleterange'} method */
  async #askEtcd(method) {
    for (const node of NODES) {
      const address = `http://127.0.0.1:${this.#at(node).etcd}/v3/kv/${method}`
      const answer = await askJson(address, { key: SYNC_KEY })
      if (answer !== null) return answer
    }
    return null
  }

  /** Node whose etcd leads; null: none. @returns {Promise<string | null>} */
  async etcdLeader() {
    for (const node of NODES) {
      const status = await askJson(
        `http://127.0.0.1:${this.#at(node).etcd}/v3/maintenance/status`,
        {},
      )
      if (status?.leader !== undefined && status.leader === status.header.member_id) return node
    }
    return null
  }

  /**
   * Asks the primary to hand over, as `patronictl switchover` does, again while Patroni refuses: it wants a standby that it has just seen.
   * @param {string} leader
   */
  async switchOver(leader) {
    let refusal = ''
    const ask = async () => {
      if ((await this.primary()) !== leader) return true
      const answer = await fetch(`http://127.0.0.1:${this.#at(leader).rest}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader }),
        signal: AbortSignal.timeout(60_000),
      })
      refusal = await answer.text()
      return answer.ok
    }
    await until(() => `a switchover (${refusal})`, 30, ask)
  }
}

/** @param {Member} member */
function isReady({ role, state, lag }) {
  const isNear = typeof lag === 'number' && lag <= LARGEST_LAG
  return role !== 'leader' && /^(running|streaming)$/.test(state) && isNear
}

/** Null: no server answers, or a standby does. @param {string} connectionString */
async function connectToWriter(connectionString) {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query('SELECT pg_is_in_recovery() AS "isStandby"')
    if (!rows[0].isStandby) return client
  } catch {
    // HAProxy has no server yet.
  }
  await client.end().catch(() => undefined)
  return null
}
