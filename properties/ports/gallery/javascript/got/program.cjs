// A GET with got, whose default is two retries.
const got = require(`${process.argv[2]}/node_modules/got`);
got(process.argv[3], { retry: 3 }).catch(() => process.exit(1));
