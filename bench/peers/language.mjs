// Runs the statements of "bench language" in LadybugDB.
//
//   node language.mjs MODULES DIR [load]
//
// MODULES is the folder whose node_modules have @ladybugdb/core. DIR is that of the
// command: it holds the files to load and statements.json. Each line of the output is the
// processor time of a statement in milliseconds, and the sum of what it returned.
import fs from 'node:fs'
import path from 'node:path'
import {createRequire} from 'node:module'

const [modules, dir, load] = process.argv.slice(2)
const require = createRequire(path.join(path.resolve(modules), 'index.js'))
const lbug = require('@ladybugdb/core')
const file = path.join(dir, 'peer.db')
if (load) fs.rmSync(file, {recursive: true, force: true})
const db = new lbug.Database(file, 1 << 30)
const connection = new lbug.Connection(db, 1)

const cpu = () => { const u = process.cpuUsage(); return (u.user + u.system) / 1e3 }
const rowsOf = async result => await (Array.isArray(result) ? result.at(-1) : result).getAll()
const step = async (name, times, run) => {
  const from = cpu()
  const sum = await run()
  console.log(JSON.stringify({name, cpu: (cpu() - from) / times, sum}))
}
const csv = name => `'${path.join(path.resolve(dir), name)}' (header=true)`

if (load) {
  await step('load of nodes', 1, async () => {
    await connection.query('CREATE NODE TABLE Person(key STRING PRIMARY KEY, name STRING, age INT64, city STRING)')
    await connection.query('CREATE REL TABLE KNOWS(FROM Person TO Person, since INT64)')
    await connection.query('COPY Person FROM ' + csv('nodes.csv'))
    await connection.query('CHECKPOINT')
  })
  // A load by ragdb ends with tables on disk, and so with a checkpoint here.
  await step('load of edges', 1, async () => {
    await connection.query('COPY KNOWS FROM ' + csv('edges.csv'))
    await connection.query('CHECKPOINT')
  })
} else {
  for (const q of JSON.parse(fs.readFileSync(path.join(dir, 'statements.json')))) {
    const prepared = await connection.prepare(q.peer || q.text)
    if (!prepared.isSuccess()) throw new Error(q.name + ': ' + prepared.getErrorMessage())
    await step(q.name, q.params.length, async () => {
      let sum = 0
      for (const params of q.params) {
        for (const row of await rowsOf(await connection.execute(prepared, params ?? {}))) {
          const first = Object.values(row)[0]
          sum += typeof first === 'string' ? 1 : Number(first)
        }
      }
      return sum
    })
  }
}
await connection.close()
await db.close()
