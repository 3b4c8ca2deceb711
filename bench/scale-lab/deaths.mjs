// @ts-check
import { setTimeout as wait } from 'node:timers/promises'
import { until } from './lab.mjs'

/** @typedef {import('./ha-database.mjs').HaDatabase} HaDatabase */

/** A supervisor, such as systemd, starts programs again after this time. */
const RESTART_MS = 1000

/**
 * @typedef {object} Blow
 * @property {() => Promise<boolean>} isOver another server has taken over
 * @property {() => void} mend starts again what is dead, and wakes what is stopped
 */

/**
 * @param {HaDatabase} database
 * @param {(primary: string) => readonly string[]} toNames programs to signal
 * @param {NodeJS.Signals} [signal]
 * @returns {Promise<Blow>}
 */
async function strikePrimary(database, toNames, signal = 'SIGKILL') {
  const primary = await until('a primary', 30, () => database.primary())
  const names = toNames(primary)
  database.lab.signal(names, signal)
  return {
    isOver: async () => ![primary, null].includes(await database.primary()),
    mend: () => {
      if (signal === 'SIGSTOP') database.lab.signal(names, 'SIGCONT')
      else if (names.includes(`patroni-${primary}`)) database.lab.revive(`patroni-${primary}`)
    },
  }
}

/** @param {HaDatabase} database @param {string} name @returns {Promise<Blow>} */
async function strikeProgram({ lab }, name) {
  lab.signal([name])
  await wait(RESTART_MS)
  lab.revive(name)
  return { isOver: async () => true, mend: () => undefined }
}

/**
 * @typedef {object} Death
 * @property {string} title
 * @property {(database: HaDatabase) => Promise<Blow>} strike
 * @property {readonly string[]} [also] statuses of requests that it may cut, besides 200, 429 and 503; "TypeError" is no answer
 */

/** @type {Readonly<Record<string, Death>>} */
export const DEATHS = {
  primary: {
    title: 'kill -9 of the primary’s PostgreSQL and Patroni',
    strike: (database) =>
      strikePrimary(database, (node) => [`patroni-${node}`, `postgres-${node}`]),
  },
  postgres: {
    title: 'kill -9 of the primary’s PostgreSQL',
    strike: (database) => strikePrimary(database, (node) => [`postgres-${node}`]),
  },
  patroni: {
    title: 'kill -9 of the primary’s Patroni',
    strike: (database) => strikePrimary(database, (node) => [`patroni-${node}`]),
  },
  etcd: {
    title: 'kill -9 of the leader of etcd',
    async strike(database) {
      const leader = await until('a leader of etcd', 30, () => database.etcdLeader())
      database.lab.signal([`etcd-${leader}`])
      return {
        isOver: async () => ![leader, null].includes(await database.etcdLeader()),
        mend: () => database.lab.revive(`etcd-${leader}`),
      }
    },
  },
  frozen: {
    title: 'SIGSTOP of all processes of the primary',
    strike: (database) =>
      strikePrimary(database, (node) => [`patroni-${node}`, `postgres-${node}`], 'SIGSTOP'),
  },
  switchover: {
    title: 'planned switchover',
    async strike(database) {
      const primary = await until('a primary', 30, () => database.primary())
      await database.switchOver(primary)
      return {
        isOver: async () => ![primary, null].includes(await database.primary()),
        mend: () => undefined,
      }
    },
  },
  standby: {
    title: 'kill -9 of the synchronous standby’s PostgreSQL and Patroni',
    async strike(database) {
      const standby = await until('a standby', 30, () => database.synchronousStandby())
      database.lab.signal([`patroni-${standby}`, `postgres-${standby}`])
      return {
        isOver: async () => ![standby, null].includes(await database.synchronousStandby()),
        mend: () => database.lab.revive(`patroni-${standby}`),
      }
    },
  },
  pooler: {
    title: 'kill -9 of PgBouncer',
    strike: (database) => strikeProgram(database, 'pgbouncer'),
  },
  haproxy: {
    title: 'kill -9 of the HAProxy that leads to the primary',
    strike: (database) => strikeProgram(database, 'haproxy'),
  },
  balancer: {
    title: 'kill -9 of the HAProxy in front of the replicas',
    strike: (database) => strikeProgram(database, 'balancer'),
    also: ['TypeError'],
  },
  replica: {
    title: 'kill -9 of a replica',
    strike: (database) => strikeProgram(database, 'replica-a'),
    also: ['502', 'TypeError'],
  },
}
