import sys, psycopg2
host, port, seconds = sys.argv[1:]
# libpq's shortest is 2 s.
connection = psycopg2.connect(host=host, port=port, user="postgres", connect_timeout=max(2, int(seconds)))
cursor = connection.cursor()
cursor.execute("select 'hello', 6 * 7")
print(cursor.fetchone())
connection.close()
